import { entryPoints, filesBelow, type Manifest, packagesIn, readJson, readText } from '../support/workspace.js';
import {
  ARROWS,
  avoidsOwnBarrel,
  declaresWhatItImports,
  followsArrows,
  importsEntryPointsOnly,
  type ImportRule,
  keepsCoreApart,
  keepsInternalsInside,
  namesWhatItExports,
  violations,
  type Workspace,
} from './import-rules.js';
import { importsOf } from './import-scan.js';

const lib = (name: string, ...subpaths: string[]): Manifest => ({
  name: `@roost/${name}`,
  version: '0.0.0',
  exports: Object.fromEntries(
    ['', ...subpaths].map((path) => [`.${path && `/${path}`}`, { default: `./dist/${path && `${path}/`}index.js` }]),
  ),
});

const MADE_UP: Workspace = new Map<string, Manifest>([
  ['.', { name: 'roost', version: '0.0.0', devDependencies: { 'fast-check': '1' } }],
  ['libs/time', lib('time', 'testing')],
  [
    'libs/shutdown',
    {
      ...lib('shutdown', 'core'),
      dependencies: { '@roost/time': '1' },
      peerDependencies: { '@nestjs/common': '1', rxjs: '1' },
    },
  ],
  ['apps/hello', { name: '@roost/hello', version: '0.0.0', dependencies: { '@roost/shutdown': '1' } }],
]);

const broken = (rule: ImportRule, file: string, code: string): string | undefined =>
  importsOf(file, code)
    .map((site) => rule(site, MADE_UP))
    .find((reason) => reason !== undefined);

describe('Import scan', () => {
  it.each([
    ["import { a } from 'x';", 'x'],
    ["import 'x';", 'x'],
    ["import type { A } from 'x';", 'x'],
    ["import { type A } from 'x';", 'x'],
    ["export { a } from 'x';", 'x'],
    ["export type { A } from 'x';", 'x'],
    ["export * from 'x';", 'x'],
    ["export * as all from 'x';", 'x'],
    ["const a = await import('x');", 'x'],
    ['const a = await import(`x`);', 'x'],
    ["const a = require('x');", 'x'],
    ["const a = require.resolve('x');", 'x'],
    ["import a = require('x');", 'x'],
    ["let a: import('x').A;", 'x'],
    ["let a: typeof import('x');", 'x'],
    ["declare module 'x' { interface A {} }", 'x'],
    ['/// <reference types="x" />', 'x'],
    ["class A { run() { return () => import('x'); } }", 'x'],
  ])('finds the module in %s', (code, specifier) => {
    expect(importsOf('a.ts', code).map((site) => site.specifier)).toEqual([specifier]);
  });

  it('reports the line and ignores strings and comments', () => {
    const code = "// import 'a';\nconst text = \"import 'b'\";\nimport 'c';\n";
    expect(importsOf('a.ts', code)).toEqual([{ file: 'a.ts', line: 3, specifier: 'c', exportsAll: false }]);
  });
});

describe('The rule for imports between libs', () => {
  it.each([
    ['libs/kernel/src/a.ts', '@roost/time', 'kernel may import no other lib'],
    ['libs/time/src/a.ts', '@roost/shutdown', 'time may import kernel'],
    ['libs/shutdown/src/a.ts', '@roost/drain', 'shutdown may import kernel, time'],
    ['libs/health/src/a.ts', '@roost/time', 'health may import kernel, shutdown'],
    ['libs/nest/src/a.ts', '@roost/testkit', 'nest may import kernel, time, shutdown'],
    ['libs/shutdown/src/a.ts', '@roost/hello', 'shutdown may import kernel, time'],
    ['libs/surprise/src/a.ts', '@roost/time', 'lib surprise has no line in ARROWS'],
    ['libs/shutdown/src/a.spec.ts', '@roost/drain', 'shutdown may import kernel, time'],
    ['libs/shutdown/src/a.fixture.ts', '@roost/testkit', 'shutdown may import kernel, time'],
  ])('refuses %s importing %s', (file, specifier, reason) => {
    expect(broken(followsArrows, file, `import type { A } from '${specifier}';`)).toContain(reason);
  });

  it.each([
    ['libs/shutdown/src/a.ts', '@roost/time'],
    ['libs/shutdown/src/a.spec.ts', '@roost/time'],
    ['libs/drain/src/a.spec.ts', '@roost/time/testing'],
    ['libs/shutdown/src/a.spec.ts', '@roost/shutdown'],
    ['test/integration/a.spec.ts', '@roost/testkit'],
    ['apps/hello/src/main.ts', '@roost/nest'],
  ])('allows %s importing %s', (file, specifier) => {
    expect(broken(followsArrows, file, `import '${specifier}';`)).toBeUndefined();
  });
});

describe('The rule for core', () => {
  const file = 'libs/shutdown/src/core/deep/a.ts';

  it.each([
    "import type { Type } from '@nestjs/common';",
    "import { a } from '../../shutdown.module.js';",
    "import 'lodash';",
    "import '@roost/time/testing';",
    "import '@roost/drain';",
  ])('refuses %s', (code) => {
    expect(broken(keepsCoreApart, file, code)).toMatch(/^core /);
  });

  it('refuses Nest and files outside core in specs of core', () => {
    const spec = 'libs/shutdown/src/core/a.spec.ts';
    expect(broken(keepsCoreApart, spec, "import '@nestjs/testing';")).toContain('Nest');
    expect(broken(keepsCoreApart, spec, "import '../a.module.js';")).toContain('around it');
  });

  it.each([
    [file, '../phase-graph.js'],
    [file, 'node:events'],
    [file, 'rxjs'],
    [file, '@roost/time'],
    [file, '@roost/shutdown/core'],
    ['libs/shutdown/src/core/a.spec.ts', 'fast-check'],
    ['libs/shutdown/src/core-like.ts', '@nestjs/common'],
  ])('allows %s importing %s', (from, specifier) => {
    expect(broken(keepsCoreApart, from, `import '${specifier}';`)).toBeUndefined();
  });
});

describe('The rule for deep imports', () => {
  it.each([
    ['libs/shutdown/src/a.ts', '@roost/time/dist/index.js', 'not an entry point'],
    ['test/e2e/a.spec.ts', '@roost/time/src/index.js', 'not an entry point'],
    ['apps/hello/src/main.ts', '@roost/time/core', 'not an entry point'],
    ['apps/hello/src/main.ts', '@roost/hello', 'not an entry point'],
    ['libs/shutdown/src/a.ts', '@nestjs/core/injector/module.js', 'deep import'],
    ['libs/shutdown/src/a.ts', '../../time/src/index.js', 'may not leave libs/shutdown/src'],
    ['libs/shutdown/src/a.ts', '../dist/index.js', 'may not leave libs/shutdown/src'],
    ['test/e2e/a.spec.ts', '../../libs/time/src/index.js', 'may not leave test'],
    ['bench/src/a.ts', '../../libs/time/src/index.js', 'may not leave bench/src'],
  ])('refuses %s importing %s', (file, specifier, reason) => {
    expect(broken(importsEntryPointsOnly, file, `const a = await import('${specifier}');`)).toContain(reason);
  });

  it.each([
    ['libs/shutdown/src/core/a.ts', '../b.js'],
    ['test/e2e/a.spec.ts', '../support/b.js'],
    ['test/e2e/a.spec.ts', '@roost/shutdown/core'],
    ['libs/shutdown/src/a.ts', '@nestjs/core'],
    ['libs/shutdown/src/a.ts', 'rxjs/operators'],
  ])('allows %s importing %s', (file, specifier) => {
    expect(broken(importsEntryPointsOnly, file, `import '${specifier}';`)).toBeUndefined();
  });
});

describe('The rule for declared dependencies', () => {
  it.each([
    ['libs/time/src/a.ts', 'rxjs', 'libs/time/package.json'],
    ['libs/shutdown/src/a.ts', 'fast-check', 'libs/shutdown/package.json'],
    ['libs/time/src/a.ts', 'fs', 'libs/time/package.json'],
    ['libs/time/src/a.spec.ts', 'lodash', 'libs/time/package.json'],
    ['apps/hello/src/main.ts', '@roost/time', 'apps/hello/package.json'],
    ['test/e2e/a.spec.ts', 'lodash', 'not declared in package.json'],
  ])('refuses %s importing %s', (file, specifier, where) => {
    expect(broken(declaresWhatItImports, file, `import '${specifier}';`)).toContain(where);
  });

  it.each([
    ['libs/shutdown/src/a.ts', '@nestjs/common'],
    ['libs/shutdown/src/a.ts', 'rxjs/operators'],
    ['libs/shutdown/src/a.ts', 'node:fs'],
    ['libs/time/src/a.spec.ts', 'fast-check'],
    ['libs/drain/src/a.spec.ts', '@roost/time/testing'],
    ['test/e2e/a.ts', 'fast-check'],
    ['test/e2e/a.ts', '@roost/shutdown'],
  ])('allows %s importing %s', (file, specifier) => {
    expect(broken(declaresWhatItImports, file, `import '${specifier}';`)).toBeUndefined();
  });
});

describe('The rule for imports of the own index', () => {
  it.each([
    ['libs/shutdown/src/a.ts', '@roost/shutdown'],
    ['libs/shutdown/src/a.ts', '@roost/shutdown/core'],
    ['libs/shutdown/src/a.ts', './index.js'],
    ['libs/shutdown/src/errors/a.ts', '../index.js'],
    ['libs/shutdown/src/errors/a.ts', '..'],
    ['libs/shutdown/src/core/a.ts', './index.js'],
  ])('refuses %s importing %s', (file, specifier) => {
    expect(broken(avoidsOwnBarrel, file, `export { a } from '${specifier}';`)).toMatch(/^imports /);
  });

  it.each([
    ['libs/shutdown/src/index.ts', './core/index.js'],
    ['libs/shutdown/src/a.ts', './core/index.js'],
    ['libs/shutdown/src/errors/a.ts', '../core/index.js'],
    ['libs/shutdown/src/a.spec.ts', './index.js'],
    ['libs/shutdown/src/a.ts', './b.js'],
    ['test/integration/a.spec.ts', '@roost/shutdown'],
  ])('allows %s importing %s', (file, specifier) => {
    expect(broken(avoidsOwnBarrel, file, `export { a } from '${specifier}';`)).toBeUndefined();
  });
});

describe('The rule for entry points', () => {
  it('refuses `export *` in each of them', () => {
    for (const file of ['libs/shutdown/src/index.ts', 'libs/shutdown/src/core/index.ts']) {
      expect(broken(namesWhatItExports, file, "export * from './a.js';")).toContain('by name');
    }
  });

  it('allows a lib to export all of its core', () => {
    const code = "export * from './core/index.js';";
    expect(broken(namesWhatItExports, 'libs/shutdown/src/index.ts', code)).toBeUndefined();
    expect(broken(namesWhatItExports, 'libs/shutdown/src/core/index.ts', code)).toContain('by name');
  });

  it('allows `export *` elsewhere and a named namespace', () => {
    expect(broken(namesWhatItExports, 'libs/shutdown/src/errors/index.ts', "export * from './a.js';")).toBeUndefined();
    expect(broken(namesWhatItExports, 'libs/shutdown/src/index.ts', "export * as a from './a.js';")).toBeUndefined();
  });
});

describe('Internal entry points', () => {
  const code = "import { a } from '@roost/shutdown/internal';";

  it.each(['apps/hello/src/main.ts', 'bench/src/a.ts'])('are refused in %s', (file) => {
    expect(broken(keepsInternalsInside, file, code)).toContain('for libs and tests only');
  });

  it.each(['libs/testkit/src/a.ts', 'test/integration/a.spec.ts'])('are allowed in %s', (file) => {
    expect(broken(keepsInternalsInside, file, code)).toBeUndefined();
  });
});

describe('This repository', () => {
  const libs = packagesIn('libs');
  const workspace: Workspace = new Map<string, Manifest>([
    ['.', readJson<Manifest>('package.json')],
    ['bench', readJson<Manifest>('bench/package.json')],
    ...[...libs, ...packagesIn('apps')].map(({ dir, manifest }): [string, Manifest] => [dir, manifest]),
  ]);
  const files = ['libs', 'apps', 'bench', 'test']
    .flatMap(filesBelow)
    .filter((file) => /\.[cm]?tsx?$/.test(file))
    .filter((file) => /^(test|bench\/src|(libs|apps)\/[^/]+\/src)\//.test(file));

  it('follows every rule', () => {
    const sites = files.flatMap((file) => importsOf(file, readText(file)));
    expect(sites.length).toBeGreaterThan(0);
    expect(violations(sites, workspace)).toEqual([]);
  });

  it('declares only dependencies between libs that the arrows allow', () => {
    for (const { dir, manifest } of libs) {
      const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
      const allowed = (ARROWS[dir.slice('libs/'.length)] ?? []).map((name) => `@roost/${name}`);
      expect(allowed).toEqual(expect.arrayContaining(declared.filter((name) => name.startsWith('@roost/'))));
    }
  });

  it('has a source file for every entry point', () => {
    for (const { dir, manifest } of libs) {
      const sources = Object.values(manifest.exports ?? {})
        .filter((entry) => typeof entry !== 'string')
        .map((entry) => entry['default']?.replace('./dist/', `${dir}/src/`).replace(/\.js$/, '.ts'));
      expect(sources).toHaveLength(entryPoints(manifest).length);
      expect(files).toEqual(expect.arrayContaining(sources));
    }
  });
});
