import { once } from 'node:events';
import { lstatSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { messageOf } from '@roost/kernel';
import { StatusSocketError } from '../errors/status-socket.error.js';
import type { FleetStatus } from './fleet-status.js';

/** Time in ms for a client that connects and does not read, and for the launcher to answer. */
const CLIENT_LIMIT_MS = 5_000;
/** Far more than the status of a thousand children needs. */
const MAX_STATUS_BYTES = 4 * 1024 * 1024;

/** Answers every connection with the status as JSON and closes it. Only the user of this process can connect. */
export class StatusSocket {
  private constructor(private readonly server: Server) {}

  /** @throws StatusSocketError */
  static async open(path: string, status: () => Promise<FleetStatus>): Promise<StatusSocket> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.setTimeout(CLIENT_LIMIT_MS, () => socket.destroy());
      void status().then(
        (answer) => socket.end(`${JSON.stringify(answer)}\n`),
        () => socket.destroy(),
      );
    });
    try {
      await listen(server, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cannotListen(path, error);
      await removeStale(path);
      await listen(server, path).catch((again: unknown) => Promise.reject(cannotListen(path, again)));
    }
    // A connection that cannot be accepted must not end the primary.
    server.on('error', () => undefined);
    server.unref();
    return new StatusSocket(server);
  }

  close(): void {
    this.server.close();
  }
}

/**
 * Reads the status of a launcher from its `statusSocket`.
 *
 * @example
 * ```ts
 * import { readStatus } from '@roost/workers';
 *
 * const { state, children } = await readStatus('/run/orders/status.sock');
 * console.log(state);
 * for (const { name, pid, restarts } of children) console.log(name, pid, restarts);
 * ```
 *
 * @throws StatusSocketError when the launcher does not answer
 * @publicApi
 */
export async function readStatus(path: string): Promise<FleetStatus> {
  let text = '';
  try {
    const socket: Socket = connect(path).setEncoding('utf8').setTimeout(CLIENT_LIMIT_MS);
    socket.on('timeout', () => socket.destroy(new Error(`no answer within ${CLIENT_LIMIT_MS} ms`)));
    for await (const chunk of socket as AsyncIterable<string>) {
      text += chunk;
      if (text.length > MAX_STATUS_BYTES) throw new Error('the answer is too long');
    }
    return JSON.parse(text) as FleetStatus;
  } catch (cause) {
    throw new StatusSocketError(path, `did not answer: ${messageOf(cause)}. Is the launcher running?`, { cause });
  }
}

async function listen(server: Server, path: string): Promise<void> {
  // listen() creates the file, so the umask must be set around the call.
  const umask = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(umask);
  }
  await once(server, 'listening');
}

/** Removes the socket of a killed launcher. Refuses to remove anything else. */
async function removeStale(path: string): Promise<void> {
  const isSocket = lstatSync(path, { throwIfNoEntry: false })?.isSocket();
  if (isSocket === false) throw cannotListen(path, new Error('the path exists and is not a socket'));
  const socket = connect(path);
  const refusal = await once(socket, 'connect').then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
  socket.destroy();
  if (!refusal) throw new StatusSocketError(path, 'is in use by another launcher.');
  if (refusal.code === 'ECONNREFUSED') unlinkSync(path);
  else if (refusal.code !== 'ENOENT') throw cannotListen(path, refusal);
}

const cannotListen = (path: string, cause: unknown): StatusSocketError =>
  new StatusSocketError(path, `could not be opened: ${messageOf(cause)}. Choose another path for statusSocket.`, {
    cause,
  });
