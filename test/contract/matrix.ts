/**
 * Runs the contract specs against the lowest and the newest versions of Nest that the packages allow:
 * `npm run test:contract:matrix`. With a version as the argument, runs them against that core.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tempDir } from '../support/temp-dir.js';
import { packagesIn, ROOT } from '../support/workspace.js';
import { NEST_PACKAGES } from './nest-packages.js';

type Versions = Record<string, string>;

const run = promisify(execFile);
const MAJOR = '12';
/** Packages that Nest needs besides its own. Their versions do not matter here. */
const OTHERS = ['rxjs@7', 'reflect-metadata@0.2', 'ws@8'];

const partsOf = (version: string): number[] => version.split('.').map(Number);

const compare = (a: string, b: string): number => {
  const [x, y] = [partsOf(a), partsOf(b)];
  return x[0]! - y[0]! || x[1]! - y[1]! || x[2]! - y[2]!;
};

/** Returns the lowest version that all libs with this peer dependency allow. */
function floorOf(name: string): string | undefined {
  const ranges = packagesIn('libs').flatMap(({ manifest }) => manifest.peerDependencies?.[name] ?? []);
  return ranges.map((range) => range.replace(/^\^/, '')).sort(compare).at(-1); // prettier-ignore
}

/** Returns the released versions of the major, lowest first. */
async function released(name: string): Promise<string[]> {
  const { stdout } = await run('npm', ['view', name, 'versions', '--json']);
  const isReleased = new RegExp(`^${MAJOR}\\.\\d+\\.\\d+$`);
  return (JSON.parse(stdout) as string[]).filter((version) => isReleased.test(version)).sort(compare);
}

async function versionsOf(pick: (name: string, all: readonly string[]) => string): Promise<Versions> {
  const pairs = NEST_PACKAGES.map(async (name) => [name, pick(name, await released(name))] as const);
  return Object.fromEntries(await Promise.all(pairs));
}

/** @param core replaces the lowest core that the libs allow */
const lowest = (core = floorOf('@nestjs/core')!): Promise<Versions> =>
  versionsOf((name, all) => {
    const floor = /common|core/.test(name) ? core : floorOf(name);
    if (floor !== undefined) return all.find((version) => compare(version, floor) >= 0)!;
    // For a package that no lib depends on, uses the version of the time when that core was released. Not every package
    // has a version for every core.
    return all.findLast((version) => compare(version, core) <= 0) ?? all[0]!;
  });

const newest = (): Promise<Versions> => versionsOf((_name, all) => all.at(-1)!);

/** Returns whether all specs passed. */
async function test(label: string, versions: Versions): Promise<boolean> {
  const since = performance.now();
  const { path, remove } = await tempDir();
  try {
    await writeFile(join(path, 'package.json'), '{ "private": true }');
    const packages = Object.entries(versions).map((one) => one.join('@'));
    const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['install', ...flags, ...packages, ...OTHERS], { cwd: path });
    console.log(`\n${label}: ${packages.join(' ')}`);
    const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
    const options = ['--experimental-vm-modules', '--no-warnings', jest, '--selectProjects', 'contract'];
    const env = { ...process.env, ROOST_NEST_DIR: path, ROOST_NEST_VERSIONS: JSON.stringify(versions) };
    const child = spawn(process.execPath, options, { cwd: ROOT, stdio: 'inherit', env });
    const [code] = (await once(child, 'exit')) as [number | null];
    console.log(
      `${label}: ${code === 0 ? 'passed' : 'FAILED'} in ${Math.round((performance.now() - since) / 1_000)} s`,
    );
    return code === 0;
  } finally {
    await remove();
  }
}

async function main([core]: readonly string[]): Promise<boolean> {
  if (core !== undefined) return test(`core ${core}`, await lowest(core));
  const passed = [await test('lowest', await lowest()), await test('newest', await newest())];
  return passed.every(Boolean);
}

try {
  process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  const { stderr = String(error) } = error as { stderr?: string };
  console.error(`\nNOT TESTED: the packages could not be installed from the registry.\n${stderr}`);
  // Without a network the other versions cannot be tested. CI has one.
  process.exitCode = process.env.CI ? 1 : 0;
}
