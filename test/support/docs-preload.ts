import dns from 'node:dns';
import { writeSync } from 'node:fs';
import net from 'node:net';
import { isMainThread } from 'node:worker_threads';

/** Surroundings of a program of the docs, as JSON in the env variable `DOCS_RUN`. */
export interface DocsSurroundings {
  /** Address of a server that answers requests for any host that ends in `.internal`. */
  internal?: string;
  /** Host names that lead to this machine. */
  hosts?: string[];
  /** Free ports by the ports of the program. A port that is not in here becomes a random one. */
  ports?: Record<string, number>;
}

const { internal, hosts = [], ports = {} } = JSON.parse(process.env['DOCS_RUN'] ?? '{}') as DocsSurroundings;

interface ListenOptions {
  port?: number | string;
  host?: string;
  path?: string;
}

/** A primary listens for its workers, which have mapped the port already. */
const mapped = (port: number | string | undefined): number =>
  Object.values(ports).includes(Number(port)) ? Number(port) : (ports[String(port)] ?? 0);

// Programs listen on the ports that the pages name. These may be in use, and another program of the docs uses them too.
type Listen = (this: net.Server, ...args: unknown[]) => net.Server;
const listen = net.Server.prototype.listen as Listen;
net.Server.prototype.listen = function (this: net.Server, ...args: unknown[]) {
  const [first, ...rest] = args;
  const callback = args.find((arg) => typeof arg === 'function');
  if (typeof first === 'object' && first !== null) {
    const options = first as ListenOptions;
    if (options.path !== undefined || options.port === undefined) return listen.apply(this, args);
    return listen.call(this, { ...options, port: mapped(options.port), host: '127.0.0.1' }, ...rest);
  }
  if (typeof first === 'string' && !/^\d+$/.test(first)) return listen.apply(this, args);
  return listen.call(this, { port: mapped(first as number | string | undefined), host: '127.0.0.1' }, callback);
} as typeof net.Server.prototype.listen;

const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  if (url.hostname.endsWith('.internal')) return fetch(new URL(url.pathname, internal), init);
  const port = ports[url.port];
  if (url.hostname === '127.0.0.1' && port !== undefined) url.port = String(port);
  return fetch(url, init);
};

type Lookup = (hostname: string, ...rest: unknown[]) => void;
const lookup = dns.lookup as Lookup;
dns.lookup = ((hostname: string, ...rest: unknown[]) =>
  lookup(hosts.includes(hostname) ? '127.0.0.1' : hostname, ...rest)) as typeof dns.lookup;

/** `app` of the program, if it has one. */
interface App {
  get(token: unknown): { options: { timeoutMs: number; gracePeriodMs: number } };
}

(globalThis as Record<symbol, unknown>)[Symbol.for('docs-run.up')] = async (app?: App) => {
  if (!isMainThread) return;
  const { CoordinatedShutdown } = await import('@roost/shutdown');
  const { timeoutMs, gracePeriodMs } = attempt(() => app?.get(CoordinatedShutdown).options) ?? {};
  console.log(`[docs-run] ${process.pid} is up ${JSON.stringify({ timeoutMs, gracePeriodMs })}`);
};

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // no such module in this application
  }
}

// A program that ends on its own may get SIGTERM after its handlers are removed, and die of it. Its exit code counts.
if (isMainThread) process.on('exit', (code) => writeSync(1, `[docs-run] ${process.pid} ends with ${code}\n`));
