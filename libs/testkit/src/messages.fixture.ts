import { stat } from 'node:fs/promises';
import type { ActorRef } from '@roost/actors/core';

export class Ping {
  constructor(readonly n: number) {}
}

export class Pong {
  constructor(readonly n: number) {}
}

export class Question {
  constructor(
    readonly text: string,
    readonly replyTo: ActorRef<string>,
  ) {}
}

/** Returns the error message of an expectation that must fail. */
export const failureMessage = async (failing: Promise<unknown>): Promise<string> => {
  try {
    await failing;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it did not fail');
};

/** Takes real time and several turns of the event loop. */
export const realIo = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await stat('.');
};
