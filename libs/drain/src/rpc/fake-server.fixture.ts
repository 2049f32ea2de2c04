import { deferred } from '@roost/kernel';
import type { CountableServer, EndHook, Handler, StartHook } from './transports/rpc-server.js';

type Respond = (packet: { isDisposed?: boolean }) => Promise<unknown>;

/** Behaves like a Nest transport but sends nothing. */
export class FakeServer implements CountableServer {
  onProcessingStartHook: StartHook = (_transport, _context, done) => done();
  onProcessingEndHook: EndHook | undefined;
  readonly handlers = new Map<string, Handler>();
  /** The packets that `send` received, in order. */
  readonly responders: Respond[] = [];
  closed = 0;

  constructor(
    readonly transportId: unknown = 'fake',
    readonly options?: object,
  ) {}

  setOnProcessingStartHook(hook: StartHook): void {
    this.onProcessingStartHook = hook;
  }

  setOnProcessingEndHook(hook: EndHook): void {
    this.onProcessingEndHook = hook;
  }

  getHandlerByPattern(pattern: string): Handler | null {
    return this.handlers.get(pattern) ?? null;
  }

  send(_stream$: unknown, respond: Respond): unknown {
    return this.responders.push(respond);
  }

  close(): unknown {
    return ++this.closed;
  }

  /** A message that has arrived. Its handler runs until `end` or `fail`. */
  begin(context: unknown = {}): { started: Promise<unknown>; end(): void; fail(error: Error): void } {
    const handled = deferred();
    const end = (): void => {
      this.onProcessingEndHook?.(this.transportId, context);
      handled.resolve();
    };
    const started = Promise.resolve(this.onProcessingStartHook(this.transportId, context, () => handled.promise));
    started.catch(() => undefined);
    return { started, end, fail: handled.reject };
  }
}
