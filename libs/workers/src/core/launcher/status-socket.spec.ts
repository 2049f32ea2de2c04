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

/** A server in the place of a launcher, that answers with this. */
const serve = async (answer: string): Promise<Server> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(answer);
  });
  open.push(server.listen(path));
  await once(server, 'listening');
  return server;
};

/** Leaves a socket behind that no process listens on, as a launcher that was killed does. */
const leaveStale = () => {
  const script = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  const { signal } = spawnSync(process.execPath, ['-e', script, path], { env: {} });
  expect([signal, existsSync(path)]).toEqual(['SIGKILL', true]);
};

describe('StatusSocket', () => {
  it('answers everybody with the status of that moment', async () => {
    let alive = 0;
    await openSocket(() => Promise.resolve({ ...STATUS, alive: ++alive }));

    expect(await readStatus(path)).toEqual({ ...STATUS, alive: 1 });
    expect(await readStatus(path)).toEqual({ ...STATUS, alive: 2 });
  });

  it('can be opened by its user only, and leaves the umask as it was', async () => {
    const umask = process.umask();

    await openSocket();

    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    expect(process.umask()).toBe(umask);
  });

  it('takes the place of one that was left behind', async () => {
    leaveStale();

    await openSocket();

    expect(await readStatus(path)).toEqual(STATUS);
  });

  it('refuses a path where another launcher answers', async () => {
    await openSocket();

    const second = StatusSocket.open(path, answering);

    await expect(second).rejects.toThrow(StatusSocketError);
    await expect(second).rejects.toThrow(`The status socket ${path} is in use by another launcher.`);
    expect(await readStatus(path)).toEqual(STATUS);
  });

  it('refuses a path that is something else, and leaves that alone', async () => {
    writeFileSync(path, 'precious');

    await expect(StatusSocket.open(path, answering)).rejects.toThrow(
      'could not be opened: the path exists and is not a socket',
    );
    expect(readFileSync(path, 'utf8')).toBe('precious');
    await expect(StatusSocket.open(folder, answering)).rejects.toThrow(StatusSocketError);
    expect(existsSync(folder)).toBe(true);
  });

  it('refuses a path in a folder that is not there', async () => {
    const lost = StatusSocket.open(join(folder, 'none', 'status.sock'), answering);

    await expect(lost).rejects.toThrow(/could not be opened: .*Choose another path for statusSocket/);
    await expect(lost).rejects.toMatchObject({ code: 'WORKERS_STATUS_SOCKET', cause: { syscall: 'listen' } });
  });

  it('hangs up on a client when there is no status to give', async () => {
    await openSocket(() => Promise.reject(new Error('broken')));

    await expect(readStatus(path)).rejects.toThrow(StatusSocketError);
  });

  it('survives a client that hangs up before the answer', async () => {
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

  it('takes its file with it when it is closed', async () => {
    const socket = await StatusSocket.open(path, answering);

    socket.close();

    expect(existsSync(path)).toBe(false);
    await expect(readStatus(path)).rejects.toThrow(StatusSocketError);
  });
});

describe('readStatus', () => {
  it('says that there is no answer', async () => {
    await expect(readStatus(path)).rejects.toThrow(/did not answer: .*connect ENOENT .*Is the launcher running\?/);
  });

  it.each([
    ['nothing', ''],
    ['something else', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['half of it', '{"pid":'],
  ])('refuses %s', async (_what, answer) => {
    await serve(answer);

    await expect(readStatus(path)).rejects.toThrow(StatusSocketError);
  });

  it('refuses an answer that does not end', async () => {
    await serve('x'.repeat(5 * 1024 * 1024));

    await expect(readStatus(path)).rejects.toThrow('the answer is too long');
  });
});
