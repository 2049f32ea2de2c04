import { request } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type {
  INestApplication,
  INestApplicationContext,
  INestMicroservice,
  LoggerService,
  ModuleMetadata,
} from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { Transport } from '@nestjs/microservices';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown, CoordinatedShutdownModule, type CoordinatedShutdownOptions } from '@roost/shutdown';
import { TestApps } from '@roost/shutdown/testing';

export const ADAPTERS: readonly (readonly [name: string, create: () => AbstractHttpAdapter])[] = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
];

export const LOOPBACK = '127.0.0.1';

/** Records the lines of Nest's loggers as `level [context] message`. */
export class NestLogRecorder implements LoggerService {
  readonly lines: string[] = [];
  log = (...args: unknown[]) => this.#add('log', args);
  warn = (...args: unknown[]) => this.#add('warn', args);
  error = (...args: unknown[]) => this.#add('error', args);

  /** Returns the lines with these contexts, without the other lines that Nest logs at every start. */
  of(...contexts: string[]): string[] {
    return this.lines.filter((line) => contexts.some((context) => line.includes(`[${context}]`)));
  }

  #add(level: string, args: unknown[]): void {
    const context = args.length > 1 ? args.at(-1) : undefined;
    this.lines.push(`${level} [${String(context)}] ${String(args[0])}`);
  }
}

export interface AppMetadata extends ModuleMetadata {
  shutdown?: CoordinatedShutdownOptions;
}

export const rootModule = ({ shutdown, imports = [], ...metadata }: AppMetadata) => ({
  module: class RootModule {},
  imports: [CoordinatedShutdownModule.forRoot({ logger: new RecordingLogger(), ...shutdown }), ...imports],
  ...metadata,
});

export class Apps extends TestApps<AppMetadata> {
  constructor(readonly logger = new NestLogRecorder()) {
    super(rootModule, { logger });
  }

  override microservice(metadata: AppMetadata): Promise<INestMicroservice> {
    return super.microservice(metadata, { transport: Transport.TCP, options: { host: LOOPBACK, port: 0 } });
  }

  /** The port that a `HealthModule` with `port: 0` has logged. */
  get probePort(): number {
    const line = this.logger.of('Health').findLast((text) => text.includes('probes on'));
    return Number(/:(\d+)\//.exec(line ?? '')?.[1]);
  }

  /** Closes all applications and clears the recorded lines. */
  override async closeAll(): Promise<void> {
    await super.closeAll();
    this.logger.lines.length = 0;
  }
}

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  body: { status?: string; info?: object; error?: object; details?: object; message?: string };
}

export const portOf = (app: INestApplication): number =>
  ((app.getHttpServer() as Server).address() as AddressInfo).port;

/** Sends a request on a new connection and returns the response. */
export const ask = (
  target: INestApplication | number,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> => {
  const port = typeof target === 'number' ? target : portOf(target);
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: LOOPBACK, port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          text,
          body: (text.startsWith('{') ? JSON.parse(text) : {}) as Answer['body'],
        }),
      );
      response.on('error', reject);
    });
    outgoing.on('error', reject).end();
  });
};

/** Returns the statuses of the three probes, in the order live, ready, startup. */
export const statuses = async (target: INestApplication | number, base = '/health'): Promise<number[]> => {
  const answers = await Promise.all(['live', 'ready', 'startup'].map((probe) => ask(target, `${base}/${probe}`)));
  return answers.map(({ status }) => status);
};

/** Adds a shutdown task that calls `look` in the middle of the phases. */
export const duringPhase = (app: INestApplicationContext, phase: string, look: () => Promise<unknown>): void => {
  app.get(CoordinatedShutdown).addTask(phase, 'look', async () => void (await look()));
};
