import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { git, gitLines } from '../support/git.js';
import { packagesIn, readJson, ROOT } from '../support/workspace.js';

const FILE = 'test/workspace/coverage-floor.json';
const MEASURES = ['branches', 'functions', 'lines', 'statements'];

type Floors = Record<string, Record<string, number>>;

/** Returns one line per number that is lower in `now` than in `earlier`, or missing. */
const fallen = (earlier: Floors, now: Floors): string[] =>
  Object.entries(earlier).flatMap(([folder, floor]) =>
    Object.entries(floor)
      .filter(([measure, least]) => !((now[folder]?.[measure] ?? 0) >= least))
      .map(([measure, least]) => `${folder} ${measure} was ${least}, is ${now[folder]?.[measure] ?? 'gone'}`),
  );

/** Floors of existing libs. A removed lib needs no floor. */
const ofLiveLibs = (floors: Floors): Floors =>
  Object.fromEntries(Object.entries(floors).filter(([folder]) => existsSync(join(ROOT, folder))));

const warn = (reason: string): void => void process.stderr.write(`coverage floor history not checked: ${reason}\n`);

describe('Coverage floor', () => {
  const floors = readJson<Floors>(FILE);

  it('covers every lib with all four measures, and nothing else', () => {
    const folders = packagesIn('libs').map(({ dir }) => `./${dir}/src/`);
    expect(Object.keys(floors).sort()).toEqual(folders.sort());
    for (const floor of Object.values(floors)) {
      expect(Object.keys(floor).sort()).toEqual(MEASURES);
      for (const least of Object.values(floor)) expect(least).toBeGreaterThan(0);
    }
  });

  it('reports a lower number, a missing measure and a missing lib', () => {
    const earlier = { a: { lines: 90, branches: 80 }, b: { lines: 70 } };
    expect(fallen(earlier, { a: { lines: 89.9 } })).toEqual([
      'a lines was 90, is 89.9',
      'a branches was 80, is gone',
      'b lines was 70, is gone',
    ]);
    expect(fallen(earlier, { a: { lines: 90, branches: 81 }, b: { lines: 70 }, c: { lines: 1 } })).toEqual([]);
  });

  it('is not lower than it was in any commit', () => {
    const shallow = git('rev-parse', '--is-shallow-repository')?.trim();
    if (shallow !== 'false') return warn(shallow ? 'the clone is shallow' : 'no git repository');
    const commits = gitLines('log', '--format=%H', '--', FILE);
    if (!commits?.length) return warn('no commit has the file yet');
    for (const commit of commits) {
      const text = git('show', `${commit}:${FILE}`);
      if (text) expect(fallen(ofLiveLibs(JSON.parse(text) as Floors), floors)).toEqual([]);
    }
  });
});
