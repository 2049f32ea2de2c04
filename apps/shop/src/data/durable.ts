import { open, rename } from 'node:fs/promises';

/** Replaces a file as a whole: whoever reads it, also after a crash, finds the old text or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  const file = await open(draft, 'w');
  try {
    await file.writeFile(text);
    // Without it, a power cut may leave the new name with nothing in it.
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

/** A new file is only there for good when the folder that names it has been written too. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
