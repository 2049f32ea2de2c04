import { randomBytes } from 'node:crypto';
import { link, rename, stat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** Maximum length of a Unix socket path in bytes, on every supported system. */
const LONGEST_PATH = 103;
const ATTEMPTS = 3;

export class FolderInUseError extends Error {}

/**
 * Locks a folder for this process: the process that listens on the socket inside owns the folder. A file with a process
 * id could be stale, but the kernel stops answering on the socket as soon as the process dies for any reason.
 */
export async function lockFolder(folder: string): Promise<Server> {
  const path = join(folder, 'lock');
  if (Buffer.byteLength(path) > LONGEST_PATH) throw new Error('the path is too long for a socket inside it');
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const server = await listen(path);
    if (server) return server;
    const seen = await identityOf(path);
    if (seen === undefined) continue;
    if (await isAnswered(path)) break;
    await removeStale(path, seen);
  }
  throw new FolderInUseError(folder);
}

/** Resolves to undefined if the socket already exists, whether its process is alive or dead. */
function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy()).unref();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(path, () => resolve(server));
  });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? resolve(false) : reject(error),
    );
  });
}

/**
 * Removes a stale lock. If several processes find the same stale lock, another one may already have replaced it. So
 * this moves the lock aside first, which only one process can do, checks it, and puts it back if it is not the stale
 * one.
 */
async function removeStale(path: string, seen: string): Promise<void> {
  const aside = `${path}.${randomBytes(3).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const isStale = (await identityOf(aside)) === seen;
  if (!isStale) await link(aside, path);
  await unlink(aside);
}

/** Combines inode and modification time, because the file system may reuse an inode number immediately. */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeNs } = await stat(path, { bigint: true });
    return `${ino} ${mtimeNs}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
