import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { checkBlocks } from '../support/check-blocks.js';
import { anchors, codeBlocks, links } from '../support/markdown.js';
import { filesBelow, packagesIn, readText, ROOT } from '../support/workspace.js';

const page = (...lines: string[]): Map<string, string> => new Map([['page.md', lines.join('\n')]]);

/** One line per relative link of a page that leads nowhere. */
const deadLinks = (file: string, markdown: string): string[] =>
  links(markdown)
    .filter(({ target }) => !/^[a-z][a-z+.-]*:/i.test(target))
    .flatMap(({ line, target }) => {
      const [path = '', anchor] = target.split('#');
      const linked = path ? posix.join(posix.dirname(file), decodeURI(path)) : file;
      const at = `${file}:${line} ${target}:`;
      if (path && !existsSync(join(ROOT, linked))) return [`${at} no such file`];
      if (!anchor || !linked.endsWith('.md')) return [];
      const known = anchors(path ? readText(linked) : markdown);
      return known.includes(anchor) ? [] : [`${at} no such heading`];
    });

const pages = new Map(
  [
    ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
    ...[...packagesIn('libs'), ...packagesIn('apps')].map(({ dir }) => `${dir}/README.md`),
    ...filesBelow('docs').filter((file) => file.endsWith('.md')),
  ]
    .filter((file) => existsSync(join(ROOT, file)))
    .map((file): [string, string] => [file, readText(file)]),
);

describe('the documentation', () => {
  it('has TypeScript blocks', () => {
    const languages = [...pages.values()].flatMap(codeBlocks).map(({ language }) => language);
    expect(languages).toContain('ts');
  });

  it('has only code that compiles', () => {
    expect(checkBlocks(pages)).toEqual([]);
  }, 60_000);

  it('has only links that lead somewhere', () => {
    expect([...pages].flatMap(([file, markdown]) => deadLinks(file, markdown))).toEqual([]);
  });
});

describe('the check of code blocks', () => {
  it('reports a type error at its line of the page', () => {
    const errors = checkBlocks(page('# Title', '', '```ts', 'const ok = 1;', 'const no: string = ok;', '```'));
    expect(errors).toEqual([expect.stringMatching(/^page\.md:5 Type 'number' is not assignable to type 'string'/)]);
  }, 30_000);

  it('reports what a lib does not export and a module that does not exist', () => {
    const code = ["import { Nonsense } from '@roost/time';", "import './nowhere.js';"];
    const errors = checkBlocks(page('```ts', ...code, '```'));
    expect(errors).toHaveLength(2);
    expect(errors[0]).toContain("no exported member 'Nonsense'");
    expect(errors[1]).toContain("'./nowhere.js'");
  }, 30_000);

  it('keeps blocks apart, and lets one import another by its name', () => {
    const named = ['```ts name=a.ts', 'export const a = 1;', '```', '```ts', 'export const a = 2;', '```'];
    const importing = ['```typescript', "import { a } from './a.js';", 'export const b: number = a;', '```'];
    expect(checkBlocks(page(...named, ...importing))).toEqual([]);
  }, 30_000);

  it('reports two blocks of one name', () => {
    const block = ['```ts name=a.ts', 'export {};', '```'];
    expect(checkBlocks(page(...block, ...block))).toEqual(['page.md:5 a second block has the name a.ts']);
  }, 30_000);

  it('reads decorators as the libs do', () => {
    const code = ["import { Injectable } from '@nestjs/common';", '@Injectable()', 'export class A {}'];
    expect(checkBlocks(page('- item', '', '  ~~~ts', ...code, '  ~~~'))).toEqual([]);
  }, 30_000);

  it('refuses a block without an end', () => {
    expect(() => checkBlocks(page('```ts', 'const a = 1;'))).toThrow('line 1 is not closed');
  });
});

describe('the check of links', () => {
  it.each([
    ['[a](nowhere.md)', 'no such file'],
    ['![a](nowhere.png)', 'no such file'],
    ['[a]: nowhere.md', 'no such file'],
    ['[a](#nowhere)', 'no such heading'],
    ['[a](../LICENSE#x) [b](../CONTRIBUTING.md#nowhere)', 'no such heading'],
  ])('reports %s', (markdown, reason) => {
    expect(deadLinks('docs/page.md', markdown)).toEqual([expect.stringContaining(reason)]);
  });

  it('follows headings as a Git host names them', () => {
    const headings = ['# `run()` & [friends](x.md)', '## Twice', '## Twice', '```sh', '# no heading', '```'];
    expect(anchors(headings.join('\n'))).toEqual(['run--friends', 'twice', 'twice-1']);
  });

  it('ignores code and other sites', () => {
    const markdown = '`[a](b.md)` [c](https://example.org/d.md) [e](mailto:f@example.org)\n```md\n[g](h.md)\n```\n';
    expect(deadLinks('docs/page.md', markdown)).toEqual([]);
  });
});
