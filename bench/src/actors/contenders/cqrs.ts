import 'reflect-metadata';
import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandHandler, CqrsModule, EventsHandler } from '@nestjs/cqrs';

/** Creates an application with the buses and these handlers. */
export async function cqrsApplication(handlers: Type[]): ReturnType<typeof NestFactory.createApplicationContext> {
  class Application {}
  Module({ imports: [CqrsModule.forRoot()], providers: handlers })(Application);
  return NestFactory.createApplicationContext(Application, { logger: false });
}

/** Handlers are selected by class, so each receiver needs its own message class. */
export function commandHandler(command: Type, execute: (command: never) => Promise<unknown>): Type {
  class Handler {
    execute = execute;
  }
  CommandHandler(command)(Handler);
  return Handler;
}

export function eventHandler(event: Type, handle: (event: never) => unknown): Type {
  class Handler {
    handle = handle;
  }
  EventsHandler(event)(Handler);
  return Handler;
}
