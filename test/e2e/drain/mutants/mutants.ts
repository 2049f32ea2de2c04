import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

type Method = (this: object, ...args: unknown[]) => unknown;
type Patched = { prototype: Record<string, Method> };

/**
 * Returns a class of the built packages, from the file that the application loads. The program runs in the repository.
 */
async function classIn(file: string, name: string): Promise<Patched> {
  const url = pathToFileURL(join(process.cwd(), 'libs', file)).href;
  const found = ((await import(url)) as Record<string, Patched | undefined>)[name];
  if (!found) throw new Error(`there is no ${name} in ${file}`);
  return found;
}

const drain = () => classIn('drain/dist/core/drain.js', 'Drain');
const httpTarget = () => classIn('drain/dist/core/http/http-target.js', 'HttpTarget');
const connections = () => classIn('drain/dist/core/http/connections.js', 'Connections');
const connectionClose = () => classIn('drain/dist/core/http/connection-close.js', 'ConnectionClose');
const shedder = () => classIn('drain/dist/core/http/shedder.js', 'Shedder');
const sessions = () => classIn('drain/dist/core/http/http2-sessions.js', 'Http2Sessions');
const exemptions = () => classIn('drain/dist/core/http/exemptions.js', 'Exemptions');
const meter = () => classIn('drain/dist/core/meter.js', 'Meter');
const probes = () => classIn('health/dist/probes.js', 'Probes');

/** Replaces a method. The replacement receives the original. Throws if the method does not exist. */
async function replace(owner: Promise<Patched>, method: string, make: (original: Method) => Method): Promise<void> {
  const { prototype } = await owner;
  const original = prototype[method];
  if (typeof original !== 'function') throw new Error(`there is no method ${method} to break`);
  prototype[method] = make(original);
}

const nothing = (): Method => () => undefined;
const nothingLater = (): Method => () => Promise.resolve();

interface Target {
  readonly server: {
    close(): void;
    closeIdleConnections?(): void;
    getConnections(callback: (error: unknown, count: number) => void): void;
  };
}

/** Each mutant breaks one thing. */
export const MUTANTS = {
  /** Does not wait for in-flight requests. */
  'does-not-wait': () => replace(drain(), 'finish', nothingLater),
  /** Closes the server at the start of the drain, as Node would. */
  'closes-at-once': () =>
    replace(
      httpTarget(),
      'shed',
      (shed) =>
        function (...args) {
          const { server } = this as Target;
          server.close();
          server.closeIdleConnections?.();
          return shed.apply(this, args);
        },
    ),
  'does-not-settle': () => replace(httpTarget(), 'settle', nothingLater),
  'never-closes': () => replace(drain(), 'close', () => () => new Promise(() => undefined)),
  /** Waits for stuck requests without a limit. */
  'never-forces': () =>
    replace(
      drain(),
      'finish',
      (finish) =>
        function () {
          return finish.call(this, 2 ** 30);
        },
    ),
  /** Cuts off stuck requests without reporting them. */
  'forces-silently': () =>
    replace(
      drain(),
      'finish',
      (finish) =>
        function (...args) {
          return (finish.apply(this, args) as Promise<void>).catch(() => undefined);
        },
    ),
  /** Cuts off in-flight requests immediately. */
  'forces-at-once': () =>
    replace(
      drain(),
      'finish',
      (finish) =>
        function () {
          return finish.call(this, 1);
        },
    ),
  'no-connection-close': () => replace(connectionClose(), 'claim', nothing),
  /** Sets Connection: close on every response, even if others wait behind it. */
  'close-for-all': () =>
    replace(
      connectionClose(),
      'claim',
      () =>
        function (response) {
          const { headersSent, setHeader } = response as { headersSent: boolean; setHeader: Method };
          if (!headersSent) setHeader.call(response as object, 'Connection', 'close');
        },
    ),
  'keeps-connections': () => replace(connectionClose(), 'release', nothing),
  /** Closes the connection before the client has read the response. */
  'refuses-rudely': () =>
    replace(
      shedder(),
      'refuse',
      (refuse) =>
        function (request, response, awaitsContinue) {
          refuse.call(this, request, response, awaitsContinue);
          const { stream, req } = response as { stream?: { destroy(): void }; req: { socket: { destroy(): void } } };
          setImmediate(() => (stream ?? req.socket).destroy());
        },
    ),
  /** Refuses every request in the same way. */
  'refuses-plainly': () =>
    replace(
      shedder(),
      'refuse',
      () =>
        function (request, response) {
          (request as { resume(): void }).resume();
          const { writeHead, end } = response as { writeHead: Method; end: Method };
          writeHead.call(response as object, 503, { 'Content-Length': 0 });
          end.call(response as object);
        },
    ),
  /** Asks the client to send its body, and then refuses it. */
  'continues-then-refuses': () =>
    replace(
      shedder(),
      'refuse',
      (refuse) =>
        function (request, response, awaitsContinue) {
          if (awaitsContinue) (response as { writeContinue(): void }).writeContinue();
          refuse.call(this, request, response, awaitsContinue);
        },
    ),
  'exempts-nothing': () => replace(exemptions(), 'has', () => () => false),
  'always-ready': () =>
    replace(probes(), 'answer', () => () => Promise.resolve({ status: 200, body: { status: 'ok' } })),
  /** Announces the drain as soon as the application is up. */
  'announces-at-boot': () =>
    replace(
      drain(),
      'attach',
      (attach) =>
        function (...args) {
          attach.apply(this, args);
          (this as { announce(): void }).announce();
        },
    ),
  'attaches-one-server': () =>
    replace(drain(), 'attach', (attach) => {
      let attached = false;
      return function (...args) {
        if (attached) return;
        attached = true;
        attach.apply(this, args);
      };
    }),
  'signals-nobody': () => replace(drain(), 'signalFor', () => () => new AbortController().signal),
  /** Waits for refused requests as if they were served. */
  'waits-for-silence': () =>
    replace(
      httpTarget(),
      'settle',
      () =>
        async function () {
          const { server } = this as Target;
          const connections = () => new Promise<number>((done) => server.getConnections((_, count) => done(count)));
          let quietTurns = 0;
          while (quietTurns < 10) {
            await after(10);
            quietTurns = (await connections()) > 0 ? 0 : quietTurns + 1;
          }
        },
    ),
  /** Counts every request as in flight indefinitely. */
  'never-counts-down': () => replace(meter(), 'ended', nothing),
  /** Counts a response as done when its last byte has been written, even if it has not been sent. */
  'does-not-flush': () => {
    const { end } = ServerResponse.prototype;
    ServerResponse.prototype.end = function (this: ServerResponse, ...args: never[]) {
      const ended = Reflect.apply(end, this, args) as ServerResponse;
      setImmediate(() => this.emit('close'));
      return ended;
    };
    return Promise.resolve();
  },
  'answers-twice': () =>
    replace(
      shedder(),
      'refuse',
      (refuse) =>
        function (request, response, awaitsContinue) {
          const { socket } = request as { socket: Socket };
          socket.write('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n');
          refuse.call(this, request, response, awaitsContinue);
        },
    ),
  'no-lame-duck': () =>
    replace(
      drain(),
      'announce',
      (announce) =>
        function () {
          const { isDraining, shed } = this as { isDraining: boolean; shed: Method };
          announce.call(this);
          if (!isDraining) shed.call(this);
        },
    ),
  /** Stops all applications of the process together. */
  'drains-all': async () => {
    const all = new Set<object>();
    await replace(
      drain(),
      'attach',
      (attach) =>
        function (...args) {
          all.add(this);
          attach.apply(this, args);
        },
    );
    await replace(
      drain(),
      'shed',
      (shed) =>
        function () {
          for (const one of all) shed.call(one);
        },
    );
  },
  'resets-connections': () =>
    replace(
      connections(),
      'destroyAll',
      (destroyAll) =>
        function () {
          const { destroy } = Socket.prototype;
          Socket.prototype.destroy = function (this: Socket & { resetAndClosing?: boolean }, error) {
            this.resetAndClosing = true;
            return destroy.call(this, error);
          };
          destroyAll.call(this);
        },
    ),
  'leaves-connections': () => replace(connections(), 'destroyAll', nothing),
  /** Ends sessions only when their sockets close. */
  'no-goaway': async () => {
    await replace(sessions(), 'notice', nothing);
    await replace(sessions(), 'closeAll', nothingLater);
  },
} satisfies Record<string, () => Promise<void>>;

export type Mutant = keyof typeof MUTANTS;
