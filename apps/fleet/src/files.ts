import { open, stat, utimes } from 'node:fs/promises';

/** Resolves when the file would survive a power failure. */
export async function writeToDisk(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes a folder to disk. A new file name is durable only after this. */
export async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Resolves to false if the file does not exist because another process was faster. */
export const ifThere = (change: Promise<void>): Promise<boolean> =>
  change.then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );

/** Resets the age of the file to 0. */
export const touch = (file: string): Promise<boolean> => ifThere(utimes(file, new Date(), new Date()));

/** Returns 0 for a file that no longer exists. */
export async function ageMs(file: string): Promise<number> {
  let mtimeMs = Infinity;
  await ifThere(stat(file).then((stats) => void ({ mtimeMs } = stats)));
  return Math.max(0, Date.now() - mtimeMs);
}
