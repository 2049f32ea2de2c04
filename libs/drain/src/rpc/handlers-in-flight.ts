import { override } from '@roost/kernel';
import type { Clock } from '@roost/time';
import type { Meter, WorkInFlight } from '../core/index.js';
import type { CountableServer, EndHook, RpcServer, StartHook } from './transports/rpc-server.js';

interface Run {
  readonly startedAt: number;
  /** Whether the handler started after the transport stopped accepting messages. The drain does not wait for it. */
  readonly isLate: boolean;
}

/** Counts the running message and event handlers of a transport, and the replies being sent. */
export class HandlersInFlight {
  /** Runs by context. Nest creates one context per message; a custom transport may share one or have none. */
  readonly #running = new Map<unknown, Run[]>();
  #late = 0;
  #replying = 0;
  #onChange: () => void = () => undefined;
  /** Whether handlers that start now are left out of the count. */
  paused = false;
  /** Number of packets passed to the transport since startup. */
  sent = 0;

  constructor(
    server: CountableServer,
    private readonly clock: Clock,
    private readonly meter: Meter,
  ) {
    this.#watchHandlers(server);
    this.#watchReplies(server);
  }

  list(): WorkInFlight[] {
    const now = this.clock.monotonic();
    return [...this.#running].flatMap(([context, runs]) =>
      runs
        .filter(({ isLate }) => !isLate)
        .map(({ startedAt }) => ({ name: `message ${patternOf(context)}`, ageMs: now - startedAt })),
    );
  }

  /** Resolves when all replies have been sent. A handler ends before its reply is sent. */
  whenReplied(): Promise<void> {
    return this.#when(() => this.#replying === 0);
  }

  /** Resolves when no late handler is running. */
  whenLateOver(): Promise<void> {
    return this.#when(() => this.#late === 0);
  }

  #when(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => {
      const others = this.#onChange;
      this.#onChange = () => {
        others();
        if (condition()) resolve();
      };
    });
  }

  /** Nest has a single slot for each hook. Hooks set by other code, before or after this, are called as well. */
  #watchHandlers(server: CountableServer): void {
    let start: StartHook = server.onProcessingStartHook ?? ((_transport, _context, done) => done());
    let end = server.onProcessingEndHook;
    const ownStart: StartHook = async (transport, context, done) => {
      this.#began(context);
      let hasRun = false;
      const run = async (): Promise<unknown> => {
        hasRun = true;
        try {
          return await done();
        } catch (error) {
          // Most versions of Nest have already called the end hook here, but not all.
          this.#ended(context);
          throw error;
        }
      };
      try {
        return await start(transport, context, run);
      } finally {
        // The hook prevented the handler from running, so Nest does not call the end hook.
        if (!hasRun) this.#ended(context);
      }
    };
    const ownEnd: EndHook = (transport, context) => {
      this.#ended(context);
      end?.(transport, context);
    };
    override(server, 'setOnProcessingStartHook', 'DrainModule', (set) => {
      set.call(server, ownStart);
      return (hook) => void (start = hook);
    });
    override(server, 'setOnProcessingEndHook', 'DrainModule', (set) => {
      set.call(server, ownEnd);
      return (hook) => void (end = hook);
    });
  }

  #began(context: unknown): void {
    const run = { startedAt: this.clock.monotonic(), isLate: this.paused };
    const runs = this.#running.get(context);
    if (runs) runs.push(run);
    else this.#running.set(context, [run]);
    if (run.isLate) this.#late++;
    else this.meter.began();
  }

  #ended(context: unknown): void {
    const runs = this.#running.get(context);
    if (!runs) return;
    const { isLate } = runs.shift()!;
    if (runs.length === 0) this.#running.delete(context);
    if (!isLate) return this.meter.ended();
    this.#late--;
    this.#onChange();
  }

  #watchReplies(server: RpcServer): void {
    override(server, 'send', 'DrainModule', (send) => (stream$, respond) => {
      this.#replying++;
      return send.call(server, stream$, async (packet) => {
        // A serializer may modify the packet.
        const isLast = packet.isDisposed === true;
        this.sent++;
        try {
          return await respond(packet);
        } finally {
          if (isLast) {
            this.#replying--;
            this.#onChange();
          }
        }
      });
    });
  }
}

type Named = Partial<Record<'getPattern' | 'getSubject' | 'getChannel' | 'getTopic', () => unknown>>;

/** Every transport has its own context class with its own method name for the pattern. */
function patternOf(context: unknown): string {
  const named = (context ?? {}) as Named;
  const pattern = (named.getPattern ?? named.getSubject ?? named.getTopic ?? named.getChannel)?.call(named);
  return typeof pattern === 'string' ? pattern : 'with unknown pattern';
}
