import { posix } from 'node:path';
import type { Manifest } from '../support/workspace.js';
import type { ImportSite } from './import-scan.js';

/** The libs that each lib may import. No lib may import testkit, which is for the users' own tests. */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  time: ['kernel'],
  shutdown: ['kernel', 'time'],
  drain: ['kernel', 'shutdown', 'time'],
  health: ['kernel', 'shutdown'],
  actors: ['kernel', 'shutdown', 'time'],
  workers: ['kernel', 'shutdown', 'time'],
  dataflow: ['kernel', 'shutdown', 'time'],
  testkit: ['kernel', 'actors', 'dataflow', 'time'],
  nest: ['kernel', 'time', 'shutdown', 'drain', 'health', 'actors', 'workers', 'dataflow'],
};

/** Manifests by folder. The manifest of the repository is under `.`. */
export type Workspace = ReadonlyMap<string, Manifest>;

/** Returns what is wrong with an import, or undefined. */
export type ImportRule = (site: ImportSite, workspace: Workspace) => string | undefined;

/** Returns the file's package folder (`.` for tests) and the folder its relative imports must stay in. */
const homeOf = (file: string): { dir: string; sourceDir: string } => {
  const [top = '', name = ''] = file.split('/');
  if (top === 'test') return { dir: '.', sourceDir: 'test' };
  const dir = top === 'bench' ? top : `${top}/${name}`;
  return { dir, sourceDir: `${dir}/src` };
};

const libOf = (file: string): string | undefined => /^libs\/([^/]+)\//.exec(file)?.[1];
const isSpec = (file: string): boolean => /\.(spec|fixture)\.ts$/.test(file);
const isRelative = (specifier: string): boolean => /^\.{1,2}(\/|$)/.test(specifier);
const isBuiltin = (specifier: string): boolean => specifier.startsWith('node:');
const isInside = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

/** Returns the repository path that a relative import points to. */
const targetOf = ({ file, specifier }: ImportSite): string => posix.join(posix.dirname(file), specifier);

/** Splits `@roost/time/testing` into package `@roost/time` and subpath `testing`. */
const splitSpecifier = (specifier: string): { name: string; subpath: string } => {
  const parts = specifier.split('/');
  const nameLength = specifier.startsWith('@') ? 2 : 1;
  return { name: parts.slice(0, nameLength).join('/'), subpath: parts.slice(nameLength).join('/') };
};

const suiteLib = (specifier: string): string | undefined => /^@roost\/([^/]+)/.exec(specifier)?.[1];

export const followsArrows: ImportRule = ({ file, specifier }) => {
  const from = libOf(file);
  const to = suiteLib(specifier);
  if (!from || !to || from === to) return undefined;
  if (isSpec(file) && /^@roost\/(kernel|time|shutdown)\/testing$/.test(specifier)) return undefined;
  const allowed = ARROWS[from];
  if (!allowed) return `lib ${from} has no line in ARROWS`;
  return allowed.includes(to) ? undefined : `${from} may import ${allowed.join(', ') || 'no other lib'}`;
};

export const keepsCoreApart: ImportRule = (site) => {
  const { file, specifier } = site;
  const core = /^libs\/[^/]+\/src\/core(?=\/)/.exec(file)?.[0];
  if (!core) return undefined;
  if (specifier.startsWith('@nestjs/')) return 'core knows nothing of Nest, not even its types';
  if (isRelative(specifier))
    return isInside(targetOf(site), core) ? undefined : 'core does not import what is around it';
  if (isSpec(file) || isBuiltin(specifier) || /^rxjs(\/|$)/.test(specifier)) return undefined;
  if (/^@roost\/(kernel|time|[^/]+\/core)$/.test(specifier)) return undefined;
  return "core imports its own files, node: modules, rxjs, @roost/kernel, @roost/time and other libs' /core";
};

export const importsEntryPointsOnly: ImportRule = (site, workspace) => {
  const { file, specifier } = site;
  if (isRelative(specifier)) {
    const { sourceDir } = homeOf(file);
    return isInside(targetOf(site), sourceDir) ? undefined : `a relative import may not leave ${sourceDir}`;
  }
  const { name, subpath } = splitSpecifier(specifier);
  if (name.startsWith('@nestjs/') && subpath) return `deep import; only ${name} itself is public`;
  const lib = suiteLib(specifier);
  if (!lib) return undefined;
  const entries = Object.keys(workspace.get(`libs/${lib}`)?.exports ?? {});
  return entries.includes(subpath ? `./${subpath}` : '.') ? undefined : 'not an entry point of a lib';
};

export const declaresWhatItImports: ImportRule = ({ file, specifier }, workspace) => {
  if (isRelative(specifier) || isBuiltin(specifier)) return undefined;
  const { dir } = homeOf(file);
  const { name } = splitSpecifier(specifier);
  const own = workspace.get(dir);
  const inSuite = suiteLib(specifier) !== undefined;
  // Other rules decide which libs a test or a spec may import.
  if (name === own?.name || (inSuite && (dir === '.' || isSpec(file)))) return undefined;
  const declared = { ...own?.dependencies, ...own?.peerDependencies };
  if (!libOf(file)) Object.assign(declared, own?.devDependencies);
  if (isSpec(file)) Object.assign(declared, workspace.get('.')?.devDependencies);
  return name in declared ? undefined : `${name} is not declared in ${posix.join(dir, 'package.json')}`;
};

export const avoidsOwnBarrel: ImportRule = (site, workspace) => {
  const { file, specifier } = site;
  if (!libOf(file) || isSpec(file)) return undefined;
  if (splitSpecifier(specifier).name === workspace.get(homeOf(file).dir)?.name)
    return 'imports its own package by name';
  if (!isRelative(specifier)) return undefined;
  const target = targetOf(site).replace(/\/(index(\.[jt]s)?)?$/, '');
  const isIndex = /(^|\/)(index(\.[jt]s)?|\.{1,2}\/?)$/.test(specifier);
  return isIndex && isInside(file, target) ? 'imports the index of its own folder' : undefined;
};

/** A lib's main entry point exports its core, which a spec pins, and its Nest surface. */
const isMainExportingCore = ({ file, specifier }: ImportSite): boolean =>
  /^libs\/[^/]+\/src\/index\.ts$/.test(file) && specifier === './core/index.js';

export const namesWhatItExports: ImportRule = (site, workspace) => {
  const { file, exportsAll } = site;
  const lib = libOf(file);
  if (!lib || !exportsAll || isMainExportingCore(site)) return undefined;
  const targets = Object.values(workspace.get(`libs/${lib}`)?.exports ?? {}).map((entry) =>
    typeof entry === 'string' ? entry : entry['default'],
  );
  const built = file.replace(`libs/${lib}/src/`, './dist/').replace(/\.ts$/, '.js');
  return targets.includes(built) ? 'an entry point exports by name, with `export *` for its own core only' : undefined;
};

/** `/internal` of a lib is only for other libs and tests, because it changes without notice. */
export const keepsInternalsInside: ImportRule = ({ file, specifier }) =>
  /^@roost\/[^/]+\/internal$/.test(specifier) && !/^(libs|test)\//.test(file)
    ? 'an internal entry point is for libs and tests only'
    : undefined;

export const RULES: readonly ImportRule[] = [
  followsArrows,
  keepsCoreApart,
  importsEntryPointsOnly,
  declaresWhatItImports,
  avoidsOwnBarrel,
  namesWhatItExports,
  keepsInternalsInside,
];

/** Returns one line per broken rule: where, what, why. */
export const violations = (sites: readonly ImportSite[], workspace: Workspace): string[] =>
  sites.flatMap((site) =>
    RULES.map((rule) => rule(site, workspace))
      .filter((reason) => reason !== undefined)
      .map((reason) => `${site.file}:${site.line} '${site.specifier}': ${reason}`),
  );
