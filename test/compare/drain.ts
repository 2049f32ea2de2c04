/**
 * Runs the drain cases against other libraries and prints a Markdown table: `npm run compare:drain`. With library names
 * as arguments, runs only those and prints why each case failed.
 */
import { CASES } from '../e2e/drain/cases/index.js';
import type { DrainCase } from '../e2e/drain/drain-case.js';
import { inParallel } from '../e2e/drain/in-parallel.js';
import { Subject } from '../e2e/drain/subject.js';
import { VARIANTS } from '../e2e/drain/variants.js';

/** Names under which the program under test knows the libraries. */
const SUBJECTS = [
  'roost',
  'stock',
  '@nestjs/terminus',
  '@nestjs/terminus with return503OnClosing',
  'nestjs-graceful-shutdown',
  'http-terminator',
  'stoppable',
  '@godaddy/terminus',
  'http-graceful-shutdown',
  'lightship',
];

/** Cases about options or decorators of Roost, which are left out. */
const ABOUT_ROOST = [
  /as the options say/,
  /exempt paths/,
  /lame duck/,
  /drain signal/,
  /two servers of one application/,
  /Fastify on localhost/,
  /two applications in one process/,
  /not ready before the bootstrap/,
  // Applies only to libraries that refuse requests while they keep listening.
  /never let up/,
];
const cases = CASES.filter(({ name }) => !ABOUT_ROOST.some((pattern) => pattern.test(name)));

/** Returns why the case fails, or undefined if it passes. */
async function failureOf(one: DrainCase, kind: string): Promise<Error | undefined> {
  const variant = VARIANTS.find((candidate) => one.appliesTo(candidate))!;
  const subject = new Subject(variant, { kind, isForeign: kind !== 'roost' });
  try {
    await one.run(subject);
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    await subject.dispose();
  }
}

const asked = process.argv.slice(2);
const subjects = asked.length > 0 ? asked : SUBJECTS;
const rows = await Promise.all(
  cases.map(async (one) => {
    const cells = await Promise.all(
      subjects.map(async (kind) => {
        const failure = await inParallel(() => failureOf(one, kind));
        if (asked.length > 0 && failure) console.log(`${kind}: ${one.name}\n  ${failure.message.slice(0, 600)}\n`);
        return !failure;
      }),
    );
    return { name: one.name, cells };
  }),
);

const line = (...cells: (string | number)[]): void => console.log(`| ${cells.join(' | ')} |`);
line('case', ...subjects);
line('---', ...subjects.map(() => '---'));
for (const { name, cells } of rows) line(name, ...cells.map((holds) => (holds ? 'yes' : '–')));
line(`**${cases.length} cases**`, ...subjects.map((_, n) => `**${rows.filter(({ cells }) => cells[n]).length}**`));
