/**
 * Renders the figures of the last full run, stored in bench/figures.json, for the README. As a program it updates the
 * table in the README. With `--check` it only reports whether the table is up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Figure } from './harness.js';

export interface Measurement {
  date: string;
  node: string;
  cores: number;
  figures: Figure[];
}

const README = new URL('../../README.md', import.meta.url);
const FIGURES = new URL('../figures.json', import.meta.url);
const BEGIN = '<!-- figures: written by `npm run bench` -->';
const END = '<!-- end of figures -->';

type Quote = readonly [bench: string, beginsWith: string, what: string, text: (figure: Figure) => string];

const amount = ({ value, unit }: Figure): string => `${Number(value!.toPrecision(2)).toLocaleString('en')} ${unit}`;
const times = ({ ratio }: Figure): string => `${Number(ratio!.toPrecision(2))} times`;
const share = ({ ratio }: Figure): string => `${ratio!.toFixed(2)} times`;

/** The figures in the README, in order. */
const QUOTES: readonly Quote[] = [
  [
    'shutdown',
    'signal to exit, empty phases, nest',
    'time from SIGTERM to exit of a Nest application, beyond a bare `process.exit`',
    amount,
  ],
  [
    'drain',
    'requests/s of a hello route with the modules, against plain Nest, express',
    'requests/s with shutdown, drain and health, relative to plain Nest on Express',
    share,
  ],
  ['drain', 'requests/s of a hello route with the modules, against plain Nest, fastify', 'the same on Fastify', share],
  [
    'drain',
    'from the last byte to the exit, express',
    'time from the last byte of the last response to exit, p50',
    amount,
  ],
  ['actors', 'tell, 1,000,000 messages', 'CPU time of a tell, relative to a bare ring buffer', times],
  ['actors', 'tell, 1,000,000 messages: xstate', 'the same for xstate', times],
  ['actors', 'tell, 1,000,000 messages: nact', 'the same for nact', times],
  [
    'workers',
    "from the last child's exit to the primary's exit",
    "time from the last child's exit to the launcher's exit, p50",
    amount,
  ],
  [
    'dataflow',
    'pipeline of 10 nodes in one process, 100,000 numbers, against @lf-lang/reactor-ts',
    'events/s of a dataflow pipeline of 10 nodes, relative to reactor-ts',
    times,
  ],
  [
    'dataflow',
    'from one process to the other over TCP',
    'time to send a value to another process over TCP, p50',
    amount,
  ],
];

function quote({ figures }: Measurement, [bench, beginsWith, what, text]: Quote): [string, string] {
  // If several names start with the text, the first one is the shortest.
  const figure = figures.find(
    (one) => one.bench === bench && one.case.toLowerCase().startsWith(beginsWith.toLowerCase()),
  );
  if (!figure) throw new Error(`${bench} has no figure that starts with "${beginsWith}"`);
  return [what, text(figure)];
}

/** Renders the part of the README between the two comments. */
export function renderFigures(measurement: Measurement): string {
  const rows: [string, string][] = [['what', 'measured'], ...QUOTES.map((one) => quote(measurement, one))];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`);
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  const { date, node, cores } = measurement;
  return `${BEGIN}\n\nOn ${date}, Node ${node.slice(1)}, ${cores} cores:\n\n${lines.join('\n')}\n\n${END}`;
}

function withFigures(readme: string, measurement: Measurement): string {
  const [from, to] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`README.md has no markers for the figures: ${BEGIN} ... ${END}`);
  return readme.slice(0, from) + renderFigures(measurement) + readme.slice(to + END.length);
}

export function writeFigures(measurement: Measurement): void {
  writeFileSync(FIGURES, `${JSON.stringify(measurement, undefined, 2)}\n`);
  writeFileSync(README, withFigures(readFileSync(README, 'utf8'), measurement));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const measurement = JSON.parse(readFileSync(FIGURES, 'utf8')) as Measurement;
  const readme = readFileSync(README, 'utf8');
  const renewed = withFigures(readme, measurement);
  if (!process.argv.includes('--check')) writeFileSync(README, renewed);
  else if (readme !== renewed) {
    console.error('README.md does not match bench/figures.json. Run `node bench/dist/readme.js`');
    process.exitCode = 1;
  }
}
