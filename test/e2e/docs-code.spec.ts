import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { checkBlocks } from '../support/check-blocks.js';
import { commentOf, docCommentsOf, readDocComments } from '../support/doc-comments.js';
import { readPages } from '../support/docs-pages.js';
import { anchors, codeBlocks, links } from '../support/markdown.js';
import { packagesIn, readText, ROOT } from '../support/workspace.js';

const page = (...lines: string[]): Map<string, string> => new Map([['page.md', lines.join('\n')]]);

/** Returns one line per broken relative link of a page. */
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
  [...readPages()].concat(['CONTRIBUTING.md', 'CHANGELOG.md'].map((file) => [file, readText(file)])),
);

/** Public names that must have an example, by package. */
const WITH_EXAMPLE: Record<string, string[]> = {
  '@roost/actors': [
    'Actor',
    'ActorContext',
    'ActorError',
    'ActorRef',
    'ActorSystem',
    'ActorSystemHealthIndicator',
    'ActorSystemModule',
    'ActorTimers',
    'allForOne',
    'Behavior',
    'bounded',
    'DeadLetter',
    'Directive',
    'EventStream',
    'exponentialBackoff',
    'getActorSystemToken',
    'getActorToken',
    'InjectActor',
    'InjectActorSystem',
    'logMessages',
    'measureMessages',
    'oneForOne',
    'OnSignal',
    'Overflow',
    'PoisonPill',
    'PostStop',
    'priority',
    'Props',
    'Receive',
    'ReceiveTimeout',
    'Router',
    'Scheduler',
    'SupervisionStrategy',
    'Terminated',
  ],
  '@roost/dataflow': [
    'Dataflow',
    'DataflowHealthIndicator',
    'DataflowModule',
    'DataflowNode',
    'Input',
    'launchDataflow',
    'LogicalAction',
    'MemoryNetwork',
    'nats',
    'NodeContext',
    'OnShutdown',
    'OnStart',
    'OnTimer',
    'Output',
    'PhysicalAction',
    'Reaction',
    'span',
    'tcp',
  ],
  '@roost/drain': ['Drain', 'DrainModule', 'DrainService', 'DrainSignal', 'DrainTarget', 'ServeWhileDraining'],
  '@roost/health': ['HealthModule', 'ShutdownHealthIndicator'],
  '@roost/kernel': ['RoostError', 'RoostLogger', 'RecordingLogger', 'consoleLogger'],
  '@roost/nest': ['RoostModule'],
  '@roost/shutdown': [
    'CoordinatedShutdown',
    'CoordinatedShutdownModule',
    'enableCoordinatedShutdown',
    'FakeProcess',
    'Phase',
    'ProcessDoneReason',
    'ProcessTerminateReason',
    'ShutdownReason',
    'ShutdownTask',
    'TestApps',
  ],
  '@roost/testkit': [
    'ActorTestKit',
    'actorTestKitOf',
    'BehaviorTestKit',
    'createActorTestingModule',
    'overrideActor',
    'TestInbox',
    'TestProbe',
    'useManualClock',
  ],
  '@roost/time': ['Clock', 'Deadline', 'ManualClock', 'parseDuration', 'settlesWithin', 'sleep'],
  '@roost/workers': [
    'BackgroundProcess',
    'ConsumeOptions',
    'launch',
    'readStatus',
    'reportReady',
    'restartBackoff',
    'runGracefully',
    'RunToken',
    'Workers',
    'WorkersModule',
  ],
};

describe('The documentation', () => {
  it('has TypeScript blocks', () => {
    const languages = [...pages.values()].flatMap(codeBlocks).map(({ language }) => language);
    expect(languages).toContain('ts');
  });

  it('has only code that compiles', () => {
    expect(checkBlocks(pages)).toEqual([]);
  }, 60_000);

  it('has no broken links', () => {
    expect([...pages].flatMap(([file, markdown]) => deadLinks(file, markdown))).toEqual([]);
  });
});

describe('Doc comments of the sources', () => {
  const sources = readDocComments();

  it('have only code that compiles', () => {
    expect([...sources.values()].flatMap(codeBlocks)).not.toEqual([]);
    expect(checkBlocks(sources)).toEqual([]);
  }, 60_000);

  it.each(Object.entries(WITH_EXAMPLE).flatMap(([lib, names]) => names.map((name) => [lib, name] as const)))(
    'have an example in %s for %s',
    (lib, name) => {
      const dir = packagesIn('libs').find(({ manifest }) => manifest.name === lib)!.dir;
      const files = [...sources.keys()].filter((file) => file.startsWith(`${dir}/`));
      const comments = files.map((file) => commentOf(readText(file), name)).filter((comment) => comment !== undefined);
      expect(comments).toEqual([expect.stringContaining('@publicApi')]);
      expect(comments).toEqual([expect.stringContaining('@example')]);
    },
  );
});

describe('The check of doc comments', () => {
  const source = [
    'const a = 1;',
    '/**',
    ' * Text',
    ' *',
    ' * @example',
    ' * ```ts',
    ' * const b: string = 1;',
    ' * ```',
    ' */',
  ];
  const code = [...source, 'export class B {}', '/** ```ts */', 'const c: string = 1;'].join('\n');

  it('reports an error with its line in the source', () => {
    expect(checkBlocks(new Map([['b.ts', docCommentsOf(code)]]))).toEqual([expect.stringMatching(/^b\.ts:7 Type/)]);
  }, 30_000);

  it('finds the comment of a name and no other', () => {
    expect(commentOf(code, 'B')).toContain('@example');
    expect(commentOf(code, 'C')).toBeUndefined();
    expect(commentOf(`${code}\nexport class Bb {}`, 'Bb')).toBeUndefined();
    expect(commentOf('/** Text */\n@Module({ exports: [A] })\nexport class D {}', 'D')).toContain('Text');
    expect(commentOf('/** Text */\n@Module({})\nexport class D {}\nexport class E {}', 'E')).toBeUndefined();
  });
});

describe('The check of code blocks', () => {
  it('reports a type error with its line on the page', () => {
    const errors = checkBlocks(page('# Title', '', '```ts', 'const ok = 1;', 'const no: string = ok;', '```'));
    expect(errors).toEqual([expect.stringMatching(/^page\.md:5 Type 'number' is not assignable to type 'string'/)]);
  }, 30_000);

  it('reports a name that a lib does not export and a module that does not exist', () => {
    const code = ["import { Nonsense } from '@roost/time';", "import './nowhere.js';"];
    const errors = checkBlocks(page('```ts', ...code, '```'));
    expect(errors).toHaveLength(2);
    expect(errors[0]).toContain("no exported member 'Nonsense'");
    expect(errors[1]).toContain("'./nowhere.js'");
  }, 30_000);

  it('keeps blocks apart, and lets a block import another by name', () => {
    const named = ['```ts name=a.ts', 'export const a = 1;', '```', '```ts', 'export const a = 2;', '```'];
    const importing = ['```typescript', "import { a } from './a.js';", 'export const b: number = a;', '```'];
    expect(checkBlocks(page(...named, ...importing))).toEqual([]);
  }, 30_000);

  it('reports two blocks with the same name', () => {
    const block = ['```ts name=a.ts', 'export {};', '```'];
    expect(checkBlocks(page(...block, ...block))).toEqual(['page.md:5 a second block has the name a.ts']);
  }, 30_000);

  it('compiles decorators like the libs', () => {
    const code = ["import { Injectable } from '@nestjs/common';", '@Injectable()', 'export class A {}'];
    expect(checkBlocks(page('- item', '', '  ~~~ts', ...code, '  ~~~'))).toEqual([]);
  }, 30_000);

  it('refuses an unclosed block', () => {
    expect(() => checkBlocks(page('```ts', 'const a = 1;'))).toThrow('line 1 is not closed');
  });
});

describe('The check of links', () => {
  it.each([
    ['[a](nowhere.md)', 'no such file'],
    ['![a](nowhere.png)', 'no such file'],
    ['[a]: nowhere.md', 'no such file'],
    ['[a](#nowhere)', 'no such heading'],
    ['[a](../LICENSE#x) [b](../CONTRIBUTING.md#nowhere)', 'no such heading'],
  ])('reports %s', (markdown, reason) => {
    expect(deadLinks('docs/page.md', markdown)).toEqual([expect.stringContaining(reason)]);
  });

  it('resolves headings like a Git host', () => {
    const headings = ['# `run()` & [friends](x.md)', '## Twice', '## Twice', '```sh', '# no heading', '```'];
    expect(anchors(headings.join('\n'))).toEqual(['run--friends', 'twice', 'twice-1']);
  });

  it('ignores code and external links', () => {
    const markdown = '`[a](b.md)` [c](https://example.org/d.md) [e](mailto:f@example.org)\n```md\n[g](h.md)\n```\n';
    expect(deadLinks('docs/page.md', markdown)).toEqual([]);
  });
});
