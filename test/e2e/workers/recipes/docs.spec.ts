import { codeBlocks } from '../../../support/markdown.js';
import { readText } from '../../../support/workspace.js';

const PAGE = 'docs/recipes.md';
const FIXTURES = 'test/e2e/workers/recipes/fixtures';

it.each(['bullmq.ts', 'bullmq-tasks.ts', 'jetstream.ts', 'schedule.ts'])(
  `${PAGE} shows the code that is tested: %s`,
  (name) => {
    const block = codeBlocks(readText(PAGE)).find((candidate) => candidate.name === name);
    expect(block?.code).toBe(readText(`${FIXTURES}/${name}`));
  },
);
