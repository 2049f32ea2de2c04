import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect, Server as TcpServer } from 'node:net';
import { join } from 'node:path';
import { override, overrideListeners } from '@roost/kernel';
import { tempDir } from '../support/temp-dir.js';

/** The primary exits as soon as its worker is online. */
const CLUSTER_PROGRAM = `
  const cluster = require('node:cluster');
  if (cluster.isPrimary) cluster.fork().on('online', () => process.exit(0));
  else process.prependListener('disconnect', () => {
    cluster.worker.exitedAfterDisconnect = true;
    setTimeout(() => { console.error('alive'); process.exit(0); }, 100);
  });
`;

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

describe('Node', () => {
  it('announces child processes on a diagnostics channel', async () => {
    const started: ChildProcess[] = [];
    const onStart = (message: unknown): void => void started.push((message as { process: ChildProcess }).process);
    subscribe('child_process', onStart);
    const child = spawn(process.execPath, ['-e', '']);
    unsubscribe('child_process', onStart);
    expect(started).toEqual([child]);
    await once(child, 'exit');
  });

  it('counts data that a pipe has not accepted in its handle', async () => {
    const code =
      'process.stdout.write("x".repeat(4e6)); process.stderr.write(String(process.stdout._handle.writeQueueSize > 0))';
    const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [text] = (await once(child.stderr, 'data')) as [Buffer];
    expect(String(text)).toBe('true');
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('lets a cluster worker outlive its primary if it sets exitedAfterDisconnect', async () => {
    const { path, remove } = await tempDir();
    const program = join(path, 'primary.cjs');
    await writeFile(program, CLUSTER_PROGRAM);
    const primary = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'pipe'] });
    const [text] = (await once(primary.stderr, 'data')) as [Buffer];
    await remove();
    expect(String(text)).toBe('alive\n');
  });

  it('stops listening on close() of a TCP server without notifying the connections', async () => {
    const server = createServer((_request, response) => response.end('ok'));
    const port = await listen(server);
    const socket = connect(port, '127.0.0.1');
    await once(server, 'connection');
    TcpServer.prototype.close.call(server);
    expect(server.listening).toBe(false);
    expect(socket.destroyed).toBe(false);
    socket.destroy();
  });

  it.each(['request', 'checkContinue', 'upgrade'])('calls replaced listeners of %s', async (event) => {
    const calls: string[] = [];
    const server = createServer();
    server.on(event, () => calls.push('original'));
    overrideListeners<[unknown, { end(text?: string): void }]>(server, event, ([original]) => (message, answer) => {
      calls.push('replacement');
      original?.call(server, message, answer);
      if (event === 'upgrade') answer.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n');
      else answer.end();
    });
    const port = await listen(server);
    const headers =
      event === 'upgrade'
        ? { Connection: 'Upgrade', Upgrade: 'x' }
        : event === 'checkContinue'
          ? { Expect: '100-continue' }
          : {};
    const sent = request({ port, host: '127.0.0.1', headers, agent: false }).end();
    const [answer] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
    answer.resume();
    expect(calls).toEqual(['replacement', 'original']);
    server.close();
    server.closeAllConnections();
  });

  it('lets a method of a server be replaced', () => {
    const server = createServer();
    const restore = override(server, 'close', 'a spec', () => () => server);
    expect(server.close()).toBe(server);
    restore();
    expect(Object.hasOwn(server, 'close')).toBe(false);
  });
});
