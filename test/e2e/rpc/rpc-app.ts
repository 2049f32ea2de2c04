import { Logger } from '@nestjs/common';
import { type ClientOptions, type ClientProxy, ClientProxyFactory, Transport } from '@nestjs/microservices';
import { lastValueFrom, toArray } from 'rxjs';
import { AppProcess } from '../../support/app-process.js';
import type { Plan } from './fixtures/plan.js';

// Collects messages of the callers in this process about their connections.
Logger.overrideLogger(false);

const PROGRAM = '.tsout/test/e2e/rpc/fixtures/app.js';

/** The outcome for a caller: all values of the reply, or the error at its end. */
export interface Outcome {
  values: unknown[];
  error?: unknown;
}

const clients = new Set<RpcClient>();

/** For `afterEach`: ends everything that a test has started. */
export const cleanUp = async (): Promise<void> => {
  await Promise.all([...clients].map((client) => client.close()));
  await AppProcess.killAll();
};

/** Starts the application and waits until it accepts messages. */
export const launch = async (plan: Plan): Promise<AppProcess> => {
  const app = new AppProcess(PROGRAM, { args: [JSON.stringify(plan)] });
  await app.line(/^ready$/);
  return app;
};

/** Sends SIGTERM and waits until new messages are refused. */
export const beginDrain = async (app: AppProcess): Promise<void> => {
  app.kill('SIGTERM');
  await app.line(/stopped accepting new work/);
};

/** A caller in this process, created as Nest creates them. */
export class RpcClient {
  private constructor(private readonly proxy: ClientProxy) {
    clients.add(this);
  }

  /** @param port port of the broker, or of the application for TCP */
  static async connect(transport: Plan['transport'], port: number): Promise<RpcClient> {
    const options: Record<Plan['transport'], ClientOptions> = {
      tcp: { transport: Transport.TCP, options: { host: '127.0.0.1', port } },
      nats: { transport: Transport.NATS, options: { servers: [`nats://127.0.0.1:${port}`] } },
      redis: { transport: Transport.REDIS, options: { host: '127.0.0.1', port } },
    };
    const proxy = ClientProxyFactory.create(options[transport]);
    await proxy.connect();
    return new RpcClient(proxy);
  }

  /** Returns the complete reply, or the error in its place. */
  async ask(pattern: string, data: unknown = 0): Promise<Outcome> {
    const values: unknown[] = [];
    return new Promise((resolve) => {
      this.proxy.send<unknown>(pattern, data).subscribe({
        next: (value) => values.push(value),
        error: (error: unknown) => resolve({ values, error }),
        complete: () => resolve({ values }),
      });
    });
  }

  /** Sends a request and returns a function that unsubscribes the caller. */
  begin(pattern: string, data: unknown): () => void {
    const subscription = this.proxy.send<unknown>(pattern, data).subscribe();
    return () => subscription.unsubscribe();
  }

  async emit(pattern: string, data: unknown): Promise<void> {
    await lastValueFrom(this.proxy.emit(pattern, data).pipe(toArray()));
  }

  /** Resolves when all messages that the broker had for this client at the time of the call have arrived. */
  async roundTrip(transport: Plan['transport']): Promise<void> {
    if (transport === 'nats') await this.proxy.unwrap<{ flush(): Promise<void> }>().flush();
    if (transport === 'redis') await this.proxy.unwrap<{ ping(): Promise<unknown> }[]>()[1]!.ping();
  }

  async close(): Promise<void> {
    clients.delete(this);
    await this.proxy.close();
  }
}

/** For TCP the client connects to the application, otherwise to the broker. */
export const clientOf = (app: AppProcess, { transport, brokerPort }: Plan): Promise<RpcClient> =>
  RpcClient.connect(transport, brokerPort ?? Number(app.lines(/^port /)[0]?.slice(5)));
