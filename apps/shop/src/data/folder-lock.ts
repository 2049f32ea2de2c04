import { randomBytes } from 'node:crypto';
import { link, rename, stat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** What a Unix socket's path may take on every system. */
const LONGEST_PATH = 103;
const ATTEMPTS = 3;

export class FolderInUseError extends Error {}

/**
 * Takes a folder for this process alone: whoever listens on the socket in it has it. Unlike a file with a process id, that
 * cannot lie: the kernel stops answering for a process in the moment it dies, however it dies.
 */
export async function lockFolder(folder: string): Promise<Server> {
  const path = join(folder, 'lock');
  if (Buffer.byteLength(path) > LONGEST_PATH) throw new Error(`the path is too long, by what a socket in it needs`);
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

/** Undefined when there is a socket already, of a live process or of a dead one. */
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
 * When several processes start over the same dead lock, another may have replaced it since we looked. So it is moved aside
 * first, which only one of them can do, looked at, and put back if it is not the dead one.
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

/** An inode number alone may be used again at once. */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeNs } = await stat(path, { bigint: true });
    return `${ino} ${mtimeNs}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
