import { placement } from './graph.js';

export interface PipelineConfig {
  /** Length of the run in logical time. Fractions are fine. */
  readonly seconds: number;
}

export interface ServiceConfig extends PipelineConfig {
  /** Which process of the placement this one is. */
  readonly process: string;
  readonly natsUrl: string;
  readonly probePort: number;
  readonly probeHost: string;
}

const PROCESSES = [...Object.keys(placement.processes), placement.coordinator];

const faults: string[] = [];

/** Ends the program if a variable is wrong. */
export const readConfig = (): PipelineConfig => exitIfFaulty({ seconds: readSeconds() });

/** Ends the program if a variable is wrong. */
export const readServiceConfig = (): ServiceConfig =>
  exitIfFaulty({
    seconds: readSeconds(),
    process: read('PIPELINE_PROCESS', '', oneOf(PROCESSES), `write one of ${PROCESSES.join(', ')}.`),
    natsUrl: read('NATS_URL', 'nats://127.0.0.1:4222', address, 'write an address such as nats://127.0.0.1:4222.'),
    probePort: read('PROBE_PORT', '8080', numberIn(0, 65_535, /^\d+$/), 'write a port from 0 (any free one) to 65535.'),
    probeHost: read('PROBE_HOST', '127.0.0.1', word, 'write an address such as 0.0.0.0.'),
  });

const readSeconds = (): number =>
  read('PIPELINE_SECONDS', '10', numberIn(0.1, 3_600, /^\d+(\.\d+)?$/), 'write a number of seconds from 0.1 to 3600.');

type Parse<T> = (text: string) => T | undefined;

const oneOf =
  (known: readonly string[]): Parse<string> =>
  (text) =>
    known.find((one) => one === text);

const numberIn =
  (min: number, max: number, pattern: RegExp): Parse<number> =>
  (text) =>
    pattern.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined;

const word: Parse<string> = (text) => (/^\S+$/.test(text) ? text : undefined);

const address: Parse<string> = (text) => (/^(nats|tls):\/\/[\w.[\]:-]+$/.test(text) ? text : undefined);

/** A variable that is empty counts as not set. */
function read<T>(name: string, fallback: string, parse: Parse<T>, advice: string): T {
  const text = process.env[name] || fallback;
  const value = parse(text);
  // An address may have a password in it.
  if (value === undefined) faults.push(`${name} is "${text.replace(/\/\/.*@/, '//...@')}": ${advice}`);
  return value as T; // If it is undefined, nobody gets to see it.
}

/** Everything that is wrong is told at once. */
function exitIfFaulty<T>(config: T): T {
  if (faults.length === 0) return config;
  console.error(faults.join('\n'));
  process.exit(1);
}
