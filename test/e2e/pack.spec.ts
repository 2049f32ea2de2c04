import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { runOrThrow } from '../support/run-command.js';
import { tempDir } from '../support/temp-dir.js';
import { entryPoints, type Manifest, packagesIn, readJson, ROOT } from '../support/workspace.js';

interface Tarball {
  name: string;
  filename: string;
  files: { path: string }[];
}

type ExportedNames = Record<string, string[]>;

/** Entry points that are imported for their side effect. */
const MAY_EXPORT_NOTHING = ['@roost/shutdown/early'];

const PRINT_EXPORTS = {
  module: `const names = {};
for (const entry of process.argv.slice(2)) names[entry] = Object.keys(await import(entry)).sort();
console.log(JSON.stringify(names));
`,
  commonjs: `const names = {};
for (const entry of process.argv.slice(2)) names[entry] = Object.keys(require(entry)).sort();
console.log(JSON.stringify(names));
`,
};

const libs = packagesIn('libs').map(({ dir, manifest }) => ({ dir, manifest }));
const entries = libs.flatMap(({ manifest }) => entryPoints(manifest));

/** The libs' peer dependencies, with the versions that this repository tests with. */
const peers = [...new Set(libs.flatMap(({ manifest }) => Object.keys(manifest.peerDependencies ?? {})))].map(
  (name) => `${name}@${readJson<Manifest>(`node_modules/${name}/package.json`).version}`,
);

const temp = await tempDir();
let tarballs: Tarball[] = [];

/** Creates a project as a user would, and returns the exports of each entry point in it. */
const install = async (type: keyof typeof PRINT_EXPORTS): Promise<ExportedNames> => {
  const project = join(temp.path, type);
  await mkdir(project);
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type }));
  await writeFile(join(project, 'main.js'), PRINT_EXPORTS[type]);
  const packed = tarballs.map(({ filename }) => join(temp.path, filename));
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--no-save'];
  await runOrThrow('npm', ['install', ...flags, ...packed, ...peers], project);
  return JSON.parse(await runOrThrow(process.execPath, ['main.js', ...entries], project)) as ExportedNames;
};

/** Returns type errors in a file that imports every entry point, and in the libs' own declarations. */
const typeErrors = async (type: keyof typeof PRINT_EXPORTS): Promise<string[]> => {
  const main = join(temp.path, type, 'main.ts');
  const lines = entries.map((entry, i) => `import * as entry${i} from '${entry}';\nexport const it${i} = entry${i};\n`);
  await writeFile(main, lines.join(''));
  const program = ts.createProgram([main], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    noEmit: true,
    typeRoots: [join(ROOT, 'node_modules/@types')],
    types: ['node'],
  });
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => !file || file.fileName === main || file.fileName.includes('/node_modules/@roost/'))
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
};

beforeAll(async () => {
  const chosen = libs.flatMap(({ dir }) => ['--workspace', dir]);
  const output = await runOrThrow('npm', ['pack', '--json', '--pack-destination', temp.path, ...chosen]);
  tarballs = Object.values(JSON.parse(output) as Record<string, Tarball>);
}, 60_000);

afterAll(() => temp.remove());

describe.each(libs)('The tarball of $manifest.name', ({ manifest }) => {
  const paths = () => tarballs.find(({ name }) => name === manifest.name)!.files.map(({ path }) => path);

  it('contains the README, the license and every entry point', () => {
    const built = Object.values(manifest.exports ?? {}).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );
    expect(paths()).toEqual(
      expect.arrayContaining(['README.md', 'LICENSE', ...built.map((path) => path.replace('./', ''))]),
    );
  });

  it('contains only built files and no spec', () => {
    const unwanted = paths().filter(
      (path) =>
        !/^(package\.json|README\.md|LICENSE|dist\/.+\.(js|d\.ts)(\.map)?)$/.test(path) ||
        /\.(spec|fixture)\./.test(path),
    );
    expect(unwanted).toEqual([]);
  });
});

describe('Fresh projects that install the tarballs', () => {
  let esm: ExportedNames = {};
  let commonjs: ExportedNames = {};

  beforeAll(async () => {
    esm = await install('module');
    commonjs = await install('commonjs');
    process.stdout.write(`${JSON.stringify(esm, undefined, 1)}\n`);
  }, 120_000);

  it.each(entries)('can import %s', (entry) => {
    if (!MAY_EXPORT_NOTHING.includes(entry)) expect(esm[entry]).not.toEqual([]);
    expect(esm[entry]).toBeDefined();
  });

  it('get the same names with import and require', () => {
    // Node adds these two so that `require` of an ES module looks like a transpiled one.
    const added = ['__esModule', 'module.exports'];
    const required = Object.entries(commonjs).map(([entry, names]) => [entry, names.filter((n) => !added.includes(n))]);
    expect(Object.fromEntries(required)).toEqual(esm);
  });

  it.each(['module', 'commonjs'] as const)(
    'type-check every entry point in a %s project',
    async (type) => {
      expect(await typeErrors(type)).toEqual([]);
    },
    60_000,
  );
});
