import { placement } from './graph.js';

export interface PipelineConfig {
  /** Length of the run in seconds of logical time. Fractions are allowed. */
  readonly seconds: number;
}

export interface ServiceConfig extends PipelineConfig {
  /** The name of this process in the placement. */
  readonly process: string;
  readonly natsUrl: string;
  readonly probePort: number;
  readonly probeHost: string;
}

const PROCESSES = [...Object.keys(placement.processes), placement.coordinator];

const faults: string[] = [];

/** Exits the program if a variable is invalid. */
export const readConfig = (): PipelineConfig => exitIfFaulty({ seconds: readSeconds() });

/** Exits the program if a variable is invalid. */
export const readServiceConfig = (): ServiceConfig =>
  exitIfFaulty({
    seconds: readSeconds(),
    process: read('PIPELINE_PROCESS', '', oneOf(PROCESSES), `use one of ${PROCESSES.join(', ')}.`),
    natsUrl: read('NATS_URL', 'nats://127.0.0.1:4222', address, 'use an address such as nats://127.0.0.1:4222.'),
    probePort: read('PROBE_PORT', '8080', numberIn(0, 65_535, /^\d+$/), 'use a port from 0 (any free one) to 65535.'),
    probeHost: read('PROBE_HOST', '127.0.0.1', word, 'use an address such as 0.0.0.0.'),
  });

const readSeconds = (): number =>
  read('PIPELINE_SECONDS', '10', numberIn(0.1, 3_600, /^\d+(\.\d+)?$/), 'use a number of seconds from 0.1 to 3600.');

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

/** Treats an empty variable as unset. */
function read<T>(name: string, fallback: string, parse: Parse<T>, advice: string): T {
  const text = process.env[name] || fallback;
  const value = parse(text);
  // The address may contain a password.
  if (value === undefined) faults.push(`${name} is "${text.replace(/\/\/.*@/, '//...@')}": ${advice}`);
  return value as T; // An undefined value is never used: the program exits first.
}

/** Reports all faults at once. */
function exitIfFaulty<T>(config: T): T {
  if (faults.length === 0) return config;
  console.error(faults.join('\n'));
  process.exit(1);
}
