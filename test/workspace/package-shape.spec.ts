import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gitLines } from '../support/git.js';
import { filesBelow, type Package, packagesIn, readJson, readText, ROOT } from '../support/workspace.js';

interface Lockfile {
  packages: Record<string, { resolved?: string }>;
}
interface TsConfig {
  references: { path: string }[];
}
interface NestCli {
  projects: Record<string, { type: string; root: string; sourceRoot: string }>;
}

/** The application provides these packages exactly once. A second copy would have different classes and metadata. */
const PEERS = /^(@nestjs\/.+|rxjs|reflect-metadata)$/;

const notPeers = ({ dependencies, devDependencies }: Package['manifest']): string[] =>
  Object.keys({ ...dependencies, ...devDependencies }).filter((name) => PEERS.test(name));

/** Folders that exist on one machine only. A slash after a name, as in `libs/root/`, is a relative path. */
const MACHINE_PATH = /(?<![\w.@)}\]-])\/(?:(?:work|root)\/|(?:home|Users)\/\w)/;

const addresses = ({ packages }: Lockfile): string[] =>
  Object.values(packages).flatMap(({ resolved }) => (resolved?.includes('://') ? [resolved] : []));

describe.each(packagesIn('libs'))('$dir', ({ dir, manifest }) => {
  const name = dir.slice('libs/'.length);
  const references = (file: string) => readJson<TsConfig>(file).references.map(({ path }) => path);

  it('is an MIT-licensed ES module package for Node 20.19 and up', () => {
    expect(manifest).toMatchObject({
      name: `@roost/${name}`,
      license: 'MIT',
      type: 'module',
      engines: { node: '>=20.19' },
    });
  });

  it('has types and code for every entry point, and only built files', () => {
    const { './package.json': self, ...entries } = manifest.exports ?? {};
    expect(self).toBe('./package.json');
    expect(Object.keys(entries)).toContain('.');
    for (const entry of Object.values(entries)) {
      expect(entry).toEqual({
        types: expect.stringMatching(/^\.\/dist\/.+\.d\.ts$/),
        default: expect.stringMatching(/^\.\/dist\/.+\.js$/),
      });
      // The first matching condition wins, so `types` after `default` is never read.
      expect(Object.keys(entry)[0]).toBe('types');
    }
    expect(manifest.files).toContain('dist');
  });

  it('has a README and the license text of the repository', () => {
    expect(existsSync(join(ROOT, dir, 'README.md'))).toBe(true);
    expect(readText(`${dir}/LICENSE`)).toBe(readText('LICENSE'));
  });

  it('is a project of Nest, of the build and of the tests', () => {
    const project = { type: 'library', root: dir, sourceRoot: `${dir}/src` };
    expect(readJson<NestCli>('nest-cli.json').projects[name]).toMatchObject(project);
    expect(references('tsconfig.json')).toContain(dir);
    expect(references('test/tsconfig.json')).toContain(`../${dir}`);
  });

  it('declares Nest, rxjs and reflect-metadata as peer dependencies', () => {
    expect(notPeers(manifest)).toEqual([]);
  });
});

describe.each(packagesIn('apps'))('$dir', ({ dir }) => {
  it('is a project of Nest and of the build', () => {
    const name = dir.slice('apps/'.length);
    const project = { type: 'application', root: dir, sourceRoot: `${dir}/src` };
    expect(readJson<NestCli>('nest-cli.json').projects[name]).toMatchObject(project);
    expect(readJson<TsConfig>('tsconfig.json').references).toContainEqual({ path: dir });
  });
});

describe('The kernel', () => {
  it('has at most 280 lines of code and 25 names', () => {
    const files = filesBelow('libs/kernel/src').filter((file) => !file.endsWith('.spec.ts'));
    const isCode = (line: string): boolean => !/^\s*(\/\*|\*|\/\/|$)/.test(line);
    const lines = files.map((file) => readText(file).split('\n').filter(isCode).length);
    const names = [...readText('libs/kernel/src/index.ts').matchAll(/\{ (.+) \}/g)].flatMap(([, list]) =>
      list!.split(', '),
    );
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(280);
    expect(names).toContain('RoostError');
    expect(names.length).toBeLessThanOrEqual(25);
  });
});

describe('The repository', () => {
  it('has no registry address in the lock file', () => {
    expect(addresses(readJson<Lockfile>('package-lock.json'))).toEqual([]);
  });

  it('has no machine-specific path in a file', () => {
    const listed = gitLines('ls-files', '--cached', '--others', '--exclude-standard');
    if (!listed) process.stderr.write('no git repository: looking in sources, tests and docs only\n');
    const files = listed ?? ['libs', 'apps', 'bench', 'test', 'docs', '.github'].flatMap(filesBelow);
    expect(files.length).toBeGreaterThan(0);
    const found = files
      .filter((file) => existsSync(join(ROOT, file)))
      .flatMap((file) => {
        const at = readText(file)
          .split('\n')
          .findIndex((line) => MACHINE_PATH.test(line));
        return at < 0 ? [] : [`${file}:${at + 1}`];
      });
    expect(found).toEqual([]);
  });
});

describe('The checks of this file', () => {
  it('find a peer declared as a dependency', () => {
    const dependencies = { rxjs: '1', '@roost/time': '1' };
    expect(notPeers({ name: 'a', version: '1', dependencies, devDependencies: { '@nestjs/core': '1' } })).toEqual([
      'rxjs',
      '@nestjs/core',
    ]);
  });

  it('find a registry address', () => {
    const packages = { a: { resolved: 'https://registry.example/a.tgz' }, 'libs/b': { resolved: 'libs/b' }, c: {} };
    expect(addresses({ packages })).toEqual(['https://registry.example/a.tgz']);
  });

  it.each(['work/x', 'root/x', 'home/me', 'Users/me'])('find the machine path /%s', (path) => {
    expect(`see "/${path}"`).toMatch(MACHINE_PATH);
    expect(`file:///${path}`).toMatch(MACHINE_PATH);
  });

  it.each(['libs/root/a.ts', './root/a.ts', '${dir}/root/a.ts', '/home', '/workspace/a'])('accept %s', (text) => {
    expect(text).not.toMatch(MACHINE_PATH);
  });
});
