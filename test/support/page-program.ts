import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppProcess, type AppProcessOptions } from './app-process.js';
import { compileBlock } from './check-blocks.js';
import { accepts, freePort } from './local-server.js';
import { codeBlocks } from './markdown.js';
import { until } from './until.js';
import { readText, ROOT } from './workspace.js';

/** One per worker of jest: suites run in parallel, and may use the same page. */
const FOLDER = join('.tsout/pages', process.env['JEST_WORKER_ID'] ?? '0');

/** The code of the block with this name on a page. */
export const blockOf = (page: string, name: string): string => {
  const block = codeBlocks(readText(page)).find((candidate) => candidate.name === name);
  if (!block) throw new Error(`${page} has no block with name=${name}`);
  return block.code;
};

/**
 * Compiles the named TypeScript blocks of a page, one file each, and returns the folder relative to the repository.
 * The folder is inside the repository, so that `@roost/*` and other packages are found in its node_modules.
 */
export const compilePage = (page: string): string => {
  const folder = join(FOLDER, page.replace(/\.md$/, ''));
  mkdirSync(join(ROOT, folder), { recursive: true });
  for (const { name, code } of codeBlocks(readText(page))) {
    if (!name?.endsWith('.ts')) continue;
    writeFileSync(join(ROOT, folder, name.replace(/\.ts$/, '.js')), compileBlock(code, name));
  }
  return folder;
};

export interface PageOptions extends AppProcessOptions {
  /** Name of the block to start. @default 'main.ts' */
  main?: string;
}

/** Compiles a page and starts its `main.ts` on a free port. Resolves when the program listens. */
export const startPage = async (
  page: string,
  { main = 'main.ts', ...options }: PageOptions = {},
): Promise<{ app: AppProcess; port: number }> => {
  const port = await freePort();
  const program = join(compilePage(page), main.replace(/\.ts$/, '.js'));
  const app = new AppProcess(program, { ...options, env: { PORT: String(port), ...options.env } });
  const ended = app.ended.then(() => Promise.reject(new Error(`The program ended. It printed:\n${app.output}`)));
  await Promise.race([until('the program to listen', () => accepts(port)), ended]);
  return { app, port };
};
