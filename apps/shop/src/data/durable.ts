import { open, rename } from 'node:fs/promises';

/** Replaces a file atomically: readers find either the old or the new text, even after a crash. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  const file = await open(draft, 'w');
  try {
    await file.writeFile(text);
    // Without this, a power failure could leave an empty file under the new name.
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

/** Flushes a folder to disk. A new file is durable only after this. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
