import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Test programs run from their compiled location, specs from their source location. */
const rootAbove = (dir: string): string =>
  existsSync(join(dir, 'tsconfig.base.json')) ? dir : rootAbove(dirname(dir));

export const ROOT = rootAbove(import.meta.dirname);

export interface Manifest {
  name: string;
  version: string;
  license?: string;
  type?: string;
  files?: string[];
  engines?: Record<string, string>;
  exports?: Record<string, string | Record<string, string>>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

export interface Package {
  /** Folder relative to the repository, such as `libs/time`. */
  dir: string;
  manifest: Manifest;
}

export const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export const readJson = <T>(path: string): T => JSON.parse(readText(path)) as T;

/** The packages directly under `libs` or `apps`. */
export const packagesIn = (folder: 'libs' | 'apps'): Package[] =>
  readdirSync(join(ROOT, folder))
    .map((name) => `${folder}/${name}`)
    .filter((dir) => existsSync(join(ROOT, dir, 'package.json')))
    .map((dir) => ({ dir, manifest: readJson<Manifest>(`${dir}/package.json`) }));

/** The public entry points of a package as import specifiers, without `./package.json`. */
export const entryPoints = ({ name, exports = {} }: Manifest): string[] =>
  Object.keys(exports)
    .filter((key) => key !== './package.json')
    .map((key) => name + key.slice(1));

/** All files below `folder` as repository paths, or none if the folder does not exist. */
export const filesBelow = (folder: string): string[] => {
  const absolute = join(ROOT, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
};
