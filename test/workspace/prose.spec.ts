import { filesBelow, readText } from '../support/workspace.js';
import { findPhrases } from './prose.js';

describe('findPhrases', () => {
  it.each([
    ['/** Waits for who joins. */', 'a.ts:1 "for who": name the caller, peer or process'],
    ['/**\n * Waits for\n * who joins.\n */', 'a.ts:2 "for who": name the caller, peer or process'],
    ['// Closes.\n// Those are closed.', 'a.ts:2 "Those": repeat the noun'],
    ['/** What it sends. */', 'a.ts:1 "What it": begin with the noun'],
    ['f(); // Of a run.', 'a.ts:1 "Of a": begin with the subject'],
    ['{\n  // Runs for ever.\n}', 'a.ts:2 "for ever": write "forever" or "never ends"'],
    ["throw new Error('nobody listens');", 'a.ts:1 "nobody": name the program part'],
    ['log(`${name} tells of ${count}`);', 'a.ts:1 "tells of": write "reports"'],
  ])('reports %j', (code, line) => {
    expect(findPhrases('a.ts', code)).toEqual([line]);
  });

  it.each([
    "it('ends by itself', run);",
    "it.each([1])('ends by itself', run);",
    "describe('ends by itself', () => {});",
  ])('reports the title of %j', (code) => {
    expect(findPhrases('a.spec.ts', code)).toEqual([expect.stringContaining('a.spec.ts:1 "by itself"')]);
  });

  it.each([
    ['# Title\n\nThis works also when\nit fails.', ['a.md:3 "also when": write "even if"']],
    ['- What it does.\n', ['a.md:1 "What it": begin with the noun']],
    ['```ts\nrun(); // for ever\n```\n\nText.', ['a.md:2 "for ever": write "forever" or "never ends"']],
  ])('reports %j in a page', (page, lines) => {
    expect(findPhrases('a.md', page)).toEqual(lines);
  });

  it.each([
    ['a.ts', '/** Calls `somebody`, and returns the caller. What now? */'],
    ['a.ts', 'const nobody = somebody.mend();'],
    ['a.spec.ts', "expect(log).toEqual(['nobody listens']);"],
    ['a.md', '[Guide](somebody.md)\n\n```ts\nsomebody.mend();\n```\n'],
    ['a.md', '## What it does\n\n| What it is |\n'],
  ])('accepts, in %s: %j', (file, content) => {
    expect(findPhrases(file, content)).toEqual([]);
  });
});

describe('The prose of this repository', () => {
  /** Without the changelog, whose older entries stay, and CONTRIBUTING.md, which quotes such phrases as examples. */
  const files = ['libs', 'apps', 'test', 'bench', 'docs']
    .flatMap(filesBelow)
    .concat('README.md')
    .filter((file) => /\.(?:ts|md)$/.test(file) && !/\.d\.ts$|\/\.vitepress\/(?:cache|dist)\//.test(file));

  it('uses plain English', () => {
    expect(files.length).toBeGreaterThan(500);
    expect(files.flatMap((file) => findPhrases(file, readText(file)))).toEqual([]);
  }, 60_000);
});
