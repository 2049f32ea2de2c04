import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deferred } from '@roost/kernel';
import { StatusSocketError } from '../errors/status-socket.error.js';
import type { FleetStatus } from './fleet-status.js';
import { readStatus, StatusSocket } from './status-socket.js';

const STATUS: FleetStatus = { pid: 1, state: 'running', uptimeMs: 5, alive: 0, children: [] };
const answering = () => Promise.resolve(STATUS);

let folder: string;
let path: string;
const open: { close(): unknown }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roost-status-'));
  path = join(folder, 'status.sock');
});

afterEach(() => {
  for (const one of open.splice(0)) one.close();
  rmSync(folder, { recursive: true });
});

const openSocket = async (status = answering) => {
  const socket = await StatusSocket.open(path, status);
  open.push(socket);
  return socket;
};

/** Starts a server in place of a launcher, with this answer. */
const serve = async (answer: string): Promise<Server> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(answer);
  });
  open.push(server.listen(path));
  await once(server, 'listening');
  return server;
};

/** Leaves a socket behind that no process listens on, as a killed launcher does. */
const leaveStale = () => {
  const script = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  const { signal } = spawnSync(process.execPath, ['-e', script, path], { env: {} });
  expect([signal, existsSync(path)]).toEqual(['SIGKILL', true]);
};

describe('StatusSocket', () => {
  it('answers every client with the current status', async () => {
    let alive = 0;
    await openSocket(() => Promise.resolve({ ...STATUS, alive: ++alive }));

    expect(await readStatus(path)).toEqual({ ...STATUS, alive: 1 });
    expect(await readStatus(path)).toEqual({ ...STATUS, alive: 2 });
  });

  it('is accessible to its user only, and restores the umask', async () => {
    const umask = process.umask();

    await openSocket();

    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    expect(process.umask()).toBe(umask);
  });

  it('replaces a stale socket', async () => {
    leaveStale();

    await openSocket();

    expect(await readStatus(path)).toEqual(STATUS);
  });

  it('rejects a path on which another launcher answers', async () => {
    await openSocket();

    const second = StatusSocket.open(path, answering);

    await expect(second).rejects.toThrow(StatusSocketError);
    await expect(second).rejects.toThrow(`The status socket ${path} is in use by another launcher.`);
    expect(await readStatus(path)).toEqual(STATUS);
  });

  it('rejects a path that is not a socket, and leaves the file alone', async () => {
    writeFileSync(path, 'precious');

    await expect(StatusSocket.open(path, answering)).rejects.toThrow(
      'could not be opened: the path exists and is not a socket',
    );
    expect(readFileSync(path, 'utf8')).toBe('precious');
    await expect(StatusSocket.open(folder, answering)).rejects.toThrow(StatusSocketError);
    expect(existsSync(folder)).toBe(true);
  });

  it('rejects a path in a missing folder', async () => {
    const lost = StatusSocket.open(join(folder, 'none', 'status.sock'), answering);

    await expect(lost).rejects.toThrow(/could not be opened: .*Choose another path for statusSocket/);
    await expect(lost).rejects.toMatchObject({ code: 'WORKERS_STATUS_SOCKET', cause: { syscall: 'listen' } });
  });

  it('closes the connection when there is no status', async () => {
    await openSocket(() => Promise.reject(new Error('broken')));

    await expect(readStatus(path)).rejects.toThrow(StatusSocketError);
  });

  it('survives a client that disconnects before the answer', async () => {
    const gate = deferred();
    const asked = deferred();
    await openSocket(async () => {
      asked.resolve();
      await gate.promise;
      return STATUS;
    });
    const client = connect(path);
    await asked.promise;
    client.destroy();
    await once(client, 'close');

    gate.resolve();

    expect(await readStatus(path)).toEqual(STATUS);
  });

  it('removes its file when it is closed', async () => {
    const socket = await StatusSocket.open(path, answering);

    socket.close();

    expect(existsSync(path)).toBe(false);
    await expect(readStatus(path)).rejects.toThrow(StatusSocketError);
  });
});

describe('readStatus', () => {
  it('rejects when there is no answer', async () => {
    await expect(readStatus(path)).rejects.toThrow(/did not answer: .*connect ENOENT .*Is the launcher running\?/);
  });

  it.each([
    ['an empty answer', ''],
    ['an answer of another server', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['half an answer', '{"pid":'],
  ])('rejects %s', async (_what, answer) => {
    await serve(answer);

    await expect(readStatus(path)).rejects.toThrow(StatusSocketError);
  });

  it('rejects an endless answer', async () => {
    await serve('x'.repeat(5 * 1024 * 1024));

    await expect(readStatus(path)).rejects.toThrow('the answer is too long');
  });
});
