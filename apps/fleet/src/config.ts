import { join, resolve } from 'node:path';

/** Longer paths of sockets are cut off by the system. */
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

/** A variable that is empty counts as not set. */
function read<T>(name: string, fallback: string, parse: Parse<T>, advice: string): T {
  const text = process.env[name] || fallback;
  const value = parse(text);
  if (value === undefined) faults.push(`${name} is "${text}": ${advice}`);
  return value as T; // If it is undefined, nobody gets to see it.
}

/** Where jobs wait for their consumer. */
const spoolDir = resolve(process.env['SPOOL_DIR'] || join('data', 'fleet'));

/** Of every process of the fleet, and of the status command. */
export const config = {
  host: read('HOST', '127.0.0.1', word, 'write an address such as 0.0.0.0.'),
  port: read('PORT', '3000', numberIn(0, 65_535), 'write a port from 0 (any free one) to 65535.'),
  /** How many processes answer requests. */
  workers: read('ROOST_WORKERS', 'auto', workers, 'write a number from 1 to 64, or auto: one for each core.'),
  spoolDir,
  statusSocket: read(
    'STATUS_SOCKET',
    join(spoolDir, 'status.sock'),
    socketPath,
    `write a path that is at most ${MAX_SOCKET_PATH} bytes long from the root on.`,
  ),
};

// Everything that is wrong is told at once.
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
