import type { INestApplication, INestMicroservice, ModuleMetadata } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { Transport } from '@nestjs/microservices';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { EventEmitter } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdownModule, type CoordinatedShutdownOptions } from './index.js';
import { TestApps } from './testing/test-apps.js';

export const ADAPTERS: readonly (readonly [name: string, create: () => AbstractHttpAdapter])[] = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
];

export interface AppMetadata extends ModuleMetadata {
  shutdown?: CoordinatedShutdownOptions;
}

/** Returns a root module with this metadata and a shutdown that logs nothing unless the options have a logger. */
export const rootModule = ({ shutdown, imports = [], ...metadata }: AppMetadata) => ({
  module: class RootModule {},
  imports: [CoordinatedShutdownModule.forRoot({ logger: new RecordingLogger(), ...shutdown }), ...imports],
  ...metadata,
});

export const TCP = { transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } } as const;

export class Apps extends TestApps<AppMetadata> {
  constructor() {
    super(rootModule);
  }

  override microservice(metadata: AppMetadata, options: object = TCP): Promise<INestMicroservice> {
    return super.microservice(metadata, options);
  }
}

/** Calls the listeners of a signal, as Node does on delivery. */
export const raise = (signal: NodeJS.Signals): boolean => (process as EventEmitter).emit(signal, signal);

/** Sends a GET on a new connection and returns the response. */
export const request = async (app: INestApplication, path = '/'): Promise<{ status: number; body: string }> => {
  const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode!, body }));
    }).on('error', reject);
  });
};

/** A connection to a microservice, opened before the shutdown starts. */
export class TcpClient {
  private constructor(private readonly socket: Socket) {}

  static async connect(service: INestMicroservice): Promise<TcpClient> {
    const server = service.unwrap<Server>();
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    socket.on('error', () => undefined);
    return new TcpClient(socket);
  }

  /** Sends a message in Nest's framing (`length#json`) and returns the response. */
  async send(pattern: string, data: unknown): Promise<unknown> {
    const packet = JSON.stringify({ pattern, data, id: '1' });
    const answer = new Promise<string>((resolve, reject) => {
      this.socket.once('data', (chunk) => resolve(chunk.toString()));
      this.socket.once('close', () => reject(new Error('the microservice closed the connection')));
    });
    this.socket.write(`${packet.length}#${packet}`);
    const text = await answer;
    return (JSON.parse(text.slice(text.indexOf('#') + 1)) as { response: unknown }).response;
  }

  close(): void {
    this.socket.destroy();
  }
}
