import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface NatsServer {
  /** Address such as `127.0.0.1:4222`. */
  readonly server: string;
  stop(): Promise<void>;
}

/** Starts a broker on a free port. @returns undefined if none is installed */
export async function startNats(): Promise<NatsServer | undefined> {
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', '-1'], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    await once(child, 'spawn');
  } catch {
    return undefined;
  }
  const exited = once(child, 'exit');
  for await (const line of createInterface(child.stderr)) {
    const server = /client connections on (\S+)/.exec(line)?.[1];
    if (server === undefined) continue;
    return {
      server,
      stop: async () => {
        child.kill();
        await exited;
      },
    };
  }
  throw new Error('nats-server exited before it was ready');
}
