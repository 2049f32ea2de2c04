import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort, freezeProcess } from '../../../support/brokers.js';
import { tempDir } from '../../../support/temp-dir.js';

export interface JetStreamServer {
  readonly url: string;
  /** Freezes the server: it answers nothing, and its connections stay open. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Simulates a crash: clients are not notified. */
  kill(): Promise<void>;
  /** Kills the server and removes its data. */
  stop(): Promise<void>;
}

/** Like `startNats()`, with storage. */
export async function startJetStream(): Promise<JetStreamServer> {
  const port = await freePort();
  const dir = await tempDir();
  const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', dir.path];
  const server = spawn('nats-server', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(server, 'close');
  const kill = async (): Promise<void> => {
    server.kill('SIGKILL');
    await ended;
  };
  const killAtExit = (): void => void kill();
  // Cleans up after a test run that ends before its `afterAll`.
  process.once('exit', killAtExit);
  let output = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (output.includes('Server is ready')) resolve();
    });
    const fail = (): void => reject(new Error(`nats-server has ended. It printed:\n${output}`));
    void ended.then(fail, reject);
  });
  const stop = async (): Promise<void> => {
    await kill();
    process.off('exit', killAtExit);
    await dir.remove();
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    freeze: () => freezeProcess(server.pid!),
    thaw: () => void server.kill('SIGCONT'),
    kill,
    stop,
  };
}
