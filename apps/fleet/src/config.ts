import { join, resolve } from 'node:path';

/** The operating system truncates longer socket paths. */
const MAX_SOCKET_PATH = 100;

const faults: string[] = [];

type Parse<T> = (text: string) => T | undefined;

const numberIn =
  (min: number, max: number): Parse<number> =>
  (text) =>
    /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined;

const workers: Parse<number | 'auto'> = (text) => (text === 'auto' ? text : numberIn(1, 64)(text));

const word: Parse<string> = (text) => (/^\S+$/.test(text) ? text : undefined);

const socketPath: Parse<string> = (text) =>
  Buffer.byteLength(resolve(text)) <= MAX_SOCKET_PATH ? resolve(text) : undefined;

/** Treats an empty variable as unset. */
function read<T>(name: string, fallback: string, parse: Parse<T>, advice: string): T {
  const text = process.env[name] || fallback;
  const value = parse(text);
  if (value === undefined) faults.push(`${name} is "${text}": ${advice}`);
  return value as T; // An undefined value is never used: the program exits first.
}

/** The folder in which jobs wait for their consumer. */
const spoolDir = resolve(process.env['SPOOL_DIR'] || join('data', 'fleet'));

/** Settings shared by every process of the fleet and the status command. */
export const config = {
  host: read('HOST', '127.0.0.1', word, 'use an address such as 0.0.0.0.'),
  port: read('PORT', '3000', numberIn(0, 65_535), 'use a port from 0 (any free one) to 65535.'),
  /** The number of HTTP worker processes. */
  workers: read('ROOST_WORKERS', 'auto', workers, 'use a number from 1 to 64, or auto for one per core.'),
  spoolDir,
  statusSocket: read(
    'STATUS_SOCKET',
    join(spoolDir, 'status.sock'),
    socketPath,
    `use an absolute path of at most ${MAX_SOCKET_PATH} bytes.`,
  ),
};

// Reports all faults at once.
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
