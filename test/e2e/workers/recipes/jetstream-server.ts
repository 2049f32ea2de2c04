import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../../support/brokers.js';
import { tempDir } from '../../../support/temp-dir.js';

export interface JetStreamServer {
  readonly url: string;
  /** From now on it answers nothing, and its connections stay open. */
  freeze(): void;
  thaw(): void;
  /** As a crash: nothing is said to its clients. */
  kill(): Promise<void>;
  /** Kills it and removes its data. */
  stop(): Promise<void>;
}

/** As `startNats()`, with storage. */
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
  // For a test run that is ended before its `afterAll`.
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
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    kill,
    stop,
  };
}
