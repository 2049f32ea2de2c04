/**
 * The figures of the last full run are kept in bench/figures.json. Run as a program, this renews the table of the README
 * from that file; with `--check` it only says whether the table is what the file says.
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

/** What the README quotes, in its order. */
const QUOTES: readonly Quote[] = [
  [
    'shutdown',
    'signal to exit, empty phases, nest',
    'SIGTERM to exit of a Nest application, over a bare `process.exit`',
    amount,
  ],
  [
    'drain',
    'requests/s of a hello route with the modules, against plain Nest, express',
    'requests/s with shutdown, drain and health, against plain Nest, Express',
    share,
  ],
  [
    'drain',
    'requests/s of a hello route with the modules, against plain Nest, fastify',
    'the same with Fastify',
    share,
  ],
  ['drain', 'from the last byte to the exit, express', 'last byte of the last response to exit, p50', amount],
  ['actors', 'tell, 1,000,000 messages', 'CPU time of a tell, against a bare ring buffer', times],
  ['actors', 'tell, 1,000,000 messages: xstate', 'the same for xstate', times],
  ['actors', 'tell, 1,000,000 messages: nact', 'the same for nact', times],
  [
    'workers',
    "from the last child's end to the primary's exit",
    'last child gone to exit of the launcher, p50',
    amount,
  ],
  [
    'dataflow',
    'pipeline of 10 nodes in one process, 100,000 numbers, against @lf-lang/reactor-ts',
    'events/s of a dataflow pipeline of 10 nodes, against reactor-ts',
    times,
  ],
  ['dataflow', 'from one process to the other over TCP', 'a value from one process to another over TCP, p50', amount],
];

function quote({ figures }: Measurement, [bench, beginsWith, what, text]: Quote): [string, string] {
  // A name that others begin with comes before them.
  const figure = figures.find(
    (one) => one.bench === bench && one.case.toLowerCase().startsWith(beginsWith.toLowerCase()),
  );
  if (!figure) throw new Error(`${bench} has measured nothing that begins with "${beginsWith}"`);
  return [what, text(figure)];
}

/** The part of the README between the two comments. */
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
  if (from < 0 || to < from) throw new Error(`README.md has no place for the figures: ${BEGIN} ... ${END}`);
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
    console.error('README.md does not have the figures of bench/figures.json: run `node bench/dist/readme.js`');
    process.exitCode = 1;
  }
}
