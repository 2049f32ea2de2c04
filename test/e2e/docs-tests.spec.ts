import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { compileBlock } from '../support/check-blocks.js';
import { readPages } from '../support/docs-pages.js';
import { type CodeBlock, codeBlocks } from '../support/markdown.js';
import { blockOf } from '../support/page-program.js';
import { runCommand } from '../support/run-command.js';
import { ROOT } from '../support/workspace.js';

/** The page with the configuration of both test runners and a program that one of its tests stops. */
const SETUP_PAGE = 'docs/testing.md';
/** Inside the repository, so that packages resolve from its node_modules. */
const FOLDER = join(ROOT, '.tsout/docs-tests');

const DECORATORS = { experimentalDecorators: true, emitDecoratorMetadata: true };

const isTypeScript = ({ language }: CodeBlock): boolean => language === 'ts' || language === 'typescript';
const isTest = ({ code }: CodeBlock): boolean => /^\s*it\(/m.test(code);

const pages = [...readPages()]
  .map(([page, text]) => ({ page, blocks: codeBlocks(text).filter(isTypeScript) }))
  .filter(({ blocks }) => blocks.some(isTest));

const fileOf = (block: CodeBlock): string => {
  const { name = `line-${block.line}.ts` } = block;
  return isTest(block) && !name.endsWith('.spec.ts') ? name.replace(/\.ts$/, '.spec.ts') : name;
};

const write = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(FOLDER, path)), { recursive: true });
  await writeFile(join(FOLDER, path), text);
};

beforeAll(async () => {
  await rm(FOLDER, { recursive: true, force: true });
  await write('package.json', JSON.stringify({ type: 'module' }));
  const compilerOptions = { target: 'ES2023', module: 'nodenext', moduleResolution: 'nodenext', ...DECORATORS };
  await write('tsconfig.json', JSON.stringify({ compilerOptions }));
  for (const config of ['vitest.config.ts', 'jest.config.mjs']) await write(config, blockOf(SETUP_PAGE, config));
  await write('dist/main.js', compileBlock(blockOf(SETUP_PAGE, 'main.ts'), 'main.ts'));
  for (const { page, blocks } of pages) {
    for (const block of blocks) await write(join(page.replace(/\.md$/, ''), fileOf(block)), block.code);
  }
});

afterAll(() => rm(FOLDER, { recursive: true, force: true }));

describe('Test examples of the documentation', () => {
  const files = pages.flatMap(({ blocks }) => blocks.filter(isTest)).length;

  it('pass in Vitest with the configuration of the page', async () => {
    const { code, stdout, stderr } = await runCommand(
      'node',
      [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'],
      FOLDER,
    );
    const output = stripVTControlCharacters(`${stdout}\n${stderr}`);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(`Test Files +${files} passed`) });
  }, 120_000);

  it('pass in Jest with the configuration of the page', async () => {
    const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
    const { code, stderr } = await runCommand('node', ['--experimental-vm-modules', jest, '--maxWorkers=2'], FOLDER);
    const output = stripVTControlCharacters(stderr);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(`${files} passed, ${files} total`) });
  }, 120_000);
});
