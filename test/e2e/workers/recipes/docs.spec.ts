import { codeBlocks } from '../../../support/markdown.js';
import { readText } from '../../../support/workspace.js';

const PAGES = ['docs/recipes.md', 'docs/how-to/bullmq.md'];
const FIXTURES = 'test/e2e/workers/recipes/fixtures';

/** Pages have shorter lines than sources, so they break other lines. */
const withoutLayout = (code: string): string => code.replace(/\s+/g, '').replace(/,([)\]}])/g, '$1');

it.each(['bullmq.ts', 'bullmq-tasks.ts', 'jetstream.ts', 'schedule.ts'])(
  'the docs show the tested code: %s',
  (name) => {
    const blocks = PAGES.flatMap((page) => codeBlocks(readText(page))).filter((block) => block.name === name);
    expect(blocks.length).toBeGreaterThan(0);
    const tested = withoutLayout(readText(`${FIXTURES}/${name}`));
    expect(blocks.map(({ code }) => withoutLayout(code))).toEqual(blocks.map(() => tested));
  },
);
