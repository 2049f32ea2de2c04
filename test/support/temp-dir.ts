import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh folder outside the repository. `remove` deletes it. */
export const tempDir = async (): Promise<{ path: string; remove: () => Promise<void> }> => {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'roost-')));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
};
