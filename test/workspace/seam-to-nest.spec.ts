import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, packagesIn, readText, ROOT } from '../support/workspace.js';

/**
 * `override(target, 'method', …)` and `overrideListeners(emitter, event, …)`. A method that is not a string literal
 * stands for several.
 */
const CALL = /\boverride(?:Listeners)?(?:<[^()]*>)?\(\s*[^,()]+,\s*(?:'(\w+)'|[\w.]+)\s*,/g;
/** The first two cells and the last of a row: the method, the file, and the spec that checks it. */
const ROW = /^\| `([^`]+)` +\| `([^`]+\.ts)` +\|.*\| `([\w.-]+\.spec\.ts)` +\|$/gm;
const SEVERAL = '[…]';

interface Place {
  file: string;
  member: string;
}

const placesIn = (file: string, source: string): Place[] =>
  [...source.matchAll(CALL)].map(([, member]) => ({ file, member: member ?? SEVERAL }));

const sourcesOf = (lib: string): string[] =>
  filesBelow(`${lib}/src`).filter((path) => /\.ts$/.test(path) && !/\.(spec|fixture)\.ts$/.test(path));

/** `libs/drain/src/rpc/rpc-target.ts` is `drain/rpc/rpc-target.ts` on the page. */
const shown = (path: string): string => path.replace(/^libs\/([^/]+)\/src\//, '$1/');

const replaced: Place[] = packagesIn('libs')
  .filter(({ dir }) => dir !== 'libs/kernel')
  .flatMap(({ dir }) => sourcesOf(dir))
  .flatMap((path) => placesIn(shown(path), readText(path)));

const rows = [...readText('docs/seam-to-nest.md').matchAll(ROW)].map(([, what = '', file = '', spec = '']) => ({
  file,
  member: what.includes('[') ? SEVERAL : what.slice(what.lastIndexOf('.') + 1),
  spec,
}));

const keysOf = (places: readonly Place[]): string[] =>
  [...new Set(places.map(({ file, member }) => `${file} ${member}`))].sort();

describe('The page about the seam to Nest', () => {
  it('has a row for each method and event that a lib replaces, and no other', () => {
    const libs = new Set(replaced.map(({ file }) => file.split('/')[0]));
    expect(keysOf(rows.filter(({ file }) => libs.has(file.split('/')[0])))).toEqual(keysOf(replaced));
  });

  it('names contract specs that exist', () => {
    const specs = [...readText('docs/seam-to-nest.md').matchAll(/`([\w.-]+\.spec\.ts)`/g)].map(([, spec = '']) => spec);
    expect(specs.length).toBeGreaterThan(rows.length);
    expect(specs.filter((spec) => !existsSync(join(ROOT, 'test/contract', spec)))).toEqual([]);
  });

  it('mentions every contract spec', () => {
    const specs = filesBelow('test/contract').filter((path) => path.endsWith('.spec.ts') && !/versions/.test(path));
    const page = readText('docs/seam-to-nest.md');
    expect(specs.filter((path) => !page.includes(`\`${path.split('/').at(-1)}\``))).toEqual([]);
  });
});

describe('The scan for replaced methods', () => {
  it.each([
    ["override(app, 'close', DECLARED_BY, (close) => close)", 'close'],
    ["override(\n    app,\n    'prepareClose',\n    DECLARED_BY,\n    wrap)", 'prepareClose'],
    ["override(instance as Hooked, hook, 'X', watched)", SEVERAL],
    ['overrideListeners<[A, B]>(server, event, wrap)', SEVERAL],
    ["overrideListeners(server, 'request', wrap)", 'request'],
    ["override(this.server, 'handleUpgrade', 'DrainModule', wrap)", 'handleUpgrade'],
  ])('finds the member of %p', (source, member) => {
    expect(placesIn('a.ts', source)).toEqual([{ file: 'a.ts', member }]);
  });

  it.each(['static override forRoot(options: Options): DynamicModule', "import { override } from '@roost/kernel';"])(
    'ignores %p',
    (source) => {
      expect(placesIn('a.ts', source)).toEqual([]);
    },
  );
});
