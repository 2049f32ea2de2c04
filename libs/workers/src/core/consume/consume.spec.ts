import { EventEmitter, on } from 'node:events';
import { from, Observable, of, Subject, throwError } from 'rxjs';
import { InvalidWorkerOptionError, type RunToken, StopRequestedError } from '../index.js';
import { deferred, never, outcomeOf, setup as setupWorkers } from '../workers.fixture.js';
import { HandHandlers, HandSource } from './sources.fixture.js';

function setup() {
  const fixture = setupWorkers();
  const { token } = fixture.run(never);
  return { ...fixture, token, handlers: new HandHandlers() };
}

describe('consume, of an async iterable', () => {
  it('handles one item after the other, and asks for the next only when there is room', async () => {
    const { token, handlers, settle } = setup();
    const source = new HandSource();
    source.feed(1, 2, 3);
    const consumed = outcomeOf(token.consume(source, handlers.handle));
    await settle();
    expect(handlers.running).toEqual([1]);
    expect(source.asked).toBe(1);

    handlers.end(1);
    await settle();
    expect(handlers.running).toEqual([2]);
    expect(source.asked).toBe(2);

    handlers.end(2);
    await settle();
    handlers.end(3);
    source.complete();
    await settle();
    expect(consumed.status).toBe('resolved');
    expect(source.returned).toBe(0);
  });

  it('handles as many at a time as it may, in the order of the source', async () => {
    const { token, handlers, settle } = setup();
    const source = new HandSource();
    source.feed(1, 2, 3, 4, 5);
    source.complete();
    const consumed = outcomeOf(token.consume(source, handlers.handle, { concurrency: 3 }));
    await settle();
    expect(handlers.running).toEqual([1, 2, 3]);
    handlers.end(2);
    await settle();
    expect(handlers.running).toEqual([1, 3, 4]);
    for (const item of [1, 3, 4]) handlers.end(item);
    await settle();
    expect(consumed.status).toBe('pending');
    handlers.end(5);
    await settle();
    expect(consumed.status).toBe('resolved');
    expect(handlers.started).toEqual([1, 2, 3, 4, 5]);
    expect(handlers.mostAtOnce).toBe(3);
  });

  it('asks for no more at a stop, tells the source to end, and finishes what it has taken', async () => {
    const { token, workers, handlers, settle } = setup();
    const source = new HandSource();
    source.feed(1, 2, 3);
    const consumed = outcomeOf(token.consume(source, handlers.handle, { concurrency: 2 }));
    await settle();
    workers.requestStop();
    expect(source.returned).toBe(1);
    await settle();
    expect(consumed.status).toBe('pending');

    for (const item of [1, 2]) handlers.end(item);
    await settle();
    expect(consumed.status).toBe('resolved');
    expect(source.asked).toBe(2);
    expect(source.returned).toBe(1);
  });

  it('handles an item that was under way when the stop came', async () => {
    const { token, workers, handlers, settle } = setup();
    const source = new HandSource('ignores');
    const consumed = outcomeOf(token.consume(source, handlers.handle));
    await settle();
    workers.requestStop();
    await settle();
    expect(source.returned).toBe(1);
    expect(workers.describeLeft()).toBe('worker: waiting for its source; pass the signal to it');

    source.feed(7);
    await settle();
    expect(handlers.running).toEqual([7]);
    handlers.end(7);
    await settle();
    expect(consumed.status).toBe('resolved');
    expect(source.asked).toBe(1);
  });

  it('ends one that is blocked and unblocked by return()', async () => {
    const { token, workers, handlers, settle } = setup();
    const source = new HandSource();
    const consumed = outcomeOf(token.consume(source, handlers.handle));
    await settle();
    expect(source.isBlocked).toBe(true);
    workers.requestStop();
    await settle();
    expect(consumed.status).toBe('resolved');
  });

  it('waits for a source that does not end, up to the deadline', async () => {
    const { clock, token, workers, handlers } = setup();
    const consumed = outcomeOf(token.consume(new HandSource('ignores'), handlers.handle));
    const finished = outcomeOf(workers.finish(1_000));
    await clock.advanceAsync(1_000);
    expect(consumed.status).toBe('pending');
    expect(String(finished.value)).toMatch(/worker: waiting for its source; pass the signal to it/);
  });

  it('runs the finally block of a generator', async () => {
    const { token, workers, settle } = setup();
    const log: unknown[] = [];
    async function* numbers(): AsyncGenerator<number> {
      try {
        for (let n = 1; ; n++) yield await Promise.resolve(n);
      } finally {
        log.push('closed');
      }
    }
    const consumed = outcomeOf(
      token.consume(numbers(), (n) => {
        log.push(n);
        if (n === 3) workers.requestStop();
      }),
    );
    await settle();
    expect(consumed.status).toBe('resolved');
    expect(log).toEqual([1, 2, 3, 'closed']);
  });

  it('resolves at once, without opening the source, when the process is to stop', async () => {
    const { token, workers } = setup();
    workers.requestStop();
    const source = new HandSource();
    source.feed(1);
    let opened = false;
    await token.consume(source, never);
    await token.consume(() => {
      opened = true;
      return source;
    }, never);
    expect([source.asked, source.returned, opened]).toEqual([0, 0, false]);
  });

  it('needs no return()', async () => {
    const { token, workers, handlers, settle } = setup();
    const source = { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: false, value: 1 }) }) };
    const consumed = outcomeOf(token.consume(source, handlers.handle));
    await settle();
    workers.requestStop();
    handlers.end(1);
    await settle();
    expect(consumed.status).toBe('resolved');
  });
});

describe('consume, of a source that fails', () => {
  it.each(['next() that rejects', 'next() that throws', 'opening that throws', 'no iterator result'])(
    'rejects with its error: %s',
    async (how) => {
      const { token } = setup();
      const error = new Error('x');
      const next = () => {
        if (how === 'next() that rejects') return Promise.reject(error);
        if (how === 'no iterator result') return Promise.resolve(undefined as never);
        throw error;
      };
      const open = () => {
        if (how === 'opening that throws') throw error;
        return { next };
      };
      const consumed = token.consume({ [Symbol.asyncIterator]: open }, never);
      if (how === 'no iterator result') await expect(consumed).rejects.toThrow(TypeError);
      else await expect(consumed).rejects.toBe(error);
    },
  );

  it('handles what was taken first', async () => {
    const { token, handlers, settle } = setup();
    const source = new HandSource();
    source.feed(1);
    const consumed = outcomeOf(token.consume(source, handlers.handle, { concurrency: 2 }));
    await settle();
    source.fail(new Error('connection lost'));
    await settle();
    expect(consumed.status).toBe('pending');
    handlers.end(1);
    await settle();
    expect(consumed).toEqual({ status: 'rejected', value: new Error('connection lost') });
    expect(source.returned).toBe(0);
  });

  it('rejects when it cannot be closed', async () => {
    const { token, workers, settle } = setup();
    const source = new HandSource();
    source.return = () => Promise.reject(new Error('cannot close'));
    source.feed(1);
    const step = deferred();
    const consumed = outcomeOf(token.consume(source, () => step.promise));
    await settle();
    workers.requestStop();
    step.resolve();
    await settle();
    expect(consumed).toEqual({ status: 'rejected', value: new Error('cannot close') });
  });

  it('waits until it is closed, also when it has failed', async () => {
    const { token, workers, settle } = setup();
    const source = new HandSource();
    const closed = deferred<IteratorResult<number>>();
    source.return = () => closed.promise;
    const consumed = outcomeOf(token.consume(source, never));
    await settle();
    workers.requestStop();
    source.fail(new Error('connection lost'));
    await settle();
    expect(consumed.status).toBe('pending');
    closed.resolve({ done: true, value: undefined });
    await settle();
    expect(consumed).toEqual({ status: 'rejected', value: new Error('connection lost') });
  });

  it('resolves when it only says that it was aborted', async () => {
    const { token, workers, settle } = setup();
    const events = new EventEmitter();
    const items: unknown[] = [];
    const consumed = outcomeOf(
      token.consume(
        (signal) => on(events, 'item', { signal }),
        ([item]) => void items.push(item),
      ),
    );
    events.emit('item', 1);
    await settle();
    workers.requestStop();
    await settle();
    expect(consumed.status).toBe('resolved');
    expect(items).toEqual([1]);
    expect(events.listenerCount('item')).toBe(0);
  });
});

describe('consume, with a handler that fails', () => {
  it.each(['throws', 'rejects'])('takes no more, finishes the others, and rejects (%s)', async (how) => {
    const { token, handlers, settle } = setup();
    const source = new HandSource();
    source.feed(1, 2);
    const error = new Error('bad item');
    const handle = (item: number) => {
      if (item === 1) return handlers.handle(item);
      if (how === 'throws') throw error;
      return Promise.reject(error);
    };
    const consumed = outcomeOf(token.consume(source, handle, { concurrency: 5 }));
    await settle();
    expect(consumed.status).toBe('pending');
    expect(source.returned).toBe(1);
    handlers.end(1);
    await settle();
    expect(consumed).toEqual({ status: 'rejected', value: error });
  });

  it('lets the process be restarted', async () => {
    const { clock, run } = setupWorkers();
    let runs = 0;
    run((token) => {
      runs++;
      return token.consume([1], () => Promise.reject(new Error('x')));
    });
    await clock.advanceAsync(100);
    expect(runs).toBe(2);
  });

  it('ends a source that is blocked by the signal that it was opened with', async () => {
    const { token, handlers, settle, workers } = setup();
    const source = new HandSource('ignores');
    source.feed(1);
    let reason: unknown;
    const open = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => source.fail((reason = signal.reason)));
      return source;
    };
    const consumed = outcomeOf(token.consume(open, handlers.handle, { concurrency: 2 }));
    await settle();
    handlers.end(1, new Error('bad item'));
    await settle();
    expect(consumed).toEqual({ status: 'rejected', value: new Error('bad item') });
    expect(reason).toBeInstanceOf(StopRequestedError);
    expect(token.signal.aborted).toBe(false);
    expect(workers.state).toBe('running');
  });

  it('logs further errors, and prefers one that is not the abort', async () => {
    const { token, workers, handlers, logger, settle } = setup();
    const source = new HandSource();
    source.feed(1, 2, 3, 4);
    const consumed = outcomeOf(token.consume(source, handlers.handle, { concurrency: 4 }));
    await settle();
    workers.requestStop();
    handlers.end(1, token.signal.reason);
    handlers.end(2, new Error('real'));
    handlers.end(3, new Error('further'));
    handlers.end(4, token.signal.reason);
    await settle();
    expect(consumed).toEqual({ status: 'rejected', value: new Error('real') });
    expect(logger.lines).toEqual([
      expect.stringMatching(/^error: "worker": one more failure of a consume\(\): Error: further/),
    ]);
  });

  it('goes on when onError deals with it, and waits for that', async () => {
    const { token, handlers, settle } = setup();
    const source = new HandSource();
    source.feed(1, 2);
    source.complete();
    const dealt = deferred();
    const seen: unknown[] = [];
    const onError = (error: unknown, item: number) => {
      seen.push([item, error]);
      return dealt.promise;
    };
    const consumed = outcomeOf(token.consume(source, handlers.handle, { onError }));
    await settle();
    handlers.end(1, 'bad');
    await settle();
    expect(seen).toEqual([[1, 'bad']]);
    expect(handlers.started).toEqual([1]);
    dealt.resolve();
    await settle();
    handlers.end(2);
    await settle();
    expect(consumed.status).toBe('resolved');
  });

  it.each(['throws', 'rejects'])('rejects with what onError %s', async (how) => {
    const { token } = setup();
    const onError = () => {
      if (how === 'throws') throw new Error('no dead letters');
      return Promise.reject(new Error('no dead letters'));
    };
    const consumed = token.consume([1, 2], () => Promise.reject(new Error('bad')), { onError });
    await expect(consumed).rejects.toThrow('no dead letters');
  });

  it('takes anything for a result, also what throws when it is looked at', async () => {
    const { token } = setup();
    const hostile = {
      get then(): never {
        throw new Error('do not look');
      },
    };
    await expect(token.consume([1], () => hostile)).rejects.toThrow('do not look');
    await expect(token.consume([1], () => ({ then: (end: () => void) => end() }))).resolves.toBeUndefined();
  });
});

describe('consume, of an iterable', () => {
  it('handles its items and ends with it', async () => {
    const { token } = setup();
    const seen: unknown[] = [];
    await token.consume(new Set([1, 2]), (item) => void seen.push(item));
    await token.consume('ab', (item) => void seen.push(item));
    expect(seen).toEqual([1, 2, 'a', 'b']);
  });

  it('closes a generator, also when the stop comes from within it', async () => {
    const { token, workers } = setup();
    const log: unknown[] = [];
    function* numbers(): Generator<number> {
      try {
        yield 1;
        workers.requestStop();
        yield 2;
        yield 3;
      } finally {
        log.push('closed');
      }
    }
    await token.consume(numbers(), (item) => void log.push(item));
    expect(log).toEqual([1, 2, 'closed']);
  });

  it('lets others have a turn, however many items there are', async () => {
    const { token, workers } = setup();
    let taken = 0;
    function* endless(): Generator<number> {
      for (;;) yield taken++;
    }
    setImmediate(() => workers.requestStop());
    await token.consume(endless(), () => undefined);
    expect(taken).toBeLessThan(1_000);
  });

  it('takes any number of items', async () => {
    const { token } = setup();
    let sum = 0;
    async function* numbers(): AsyncGenerator<number> {
      for (let n = 0; n < 100_000; n++) yield n;
    }
    const handler = (n: number) => (n % 100 === 0 ? Promise.resolve().then(() => sum++) : sum++);
    await token.consume(numbers(), handler, { concurrency: 4 });
    expect(sum).toBe(100_000);
  }, 30_000);
});

describe('consume, of an observable', () => {
  it('keeps what is emitted until there is room', async () => {
    const { token, handlers, settle } = setup();
    const subject = new Subject<number>();
    const consumed = outcomeOf(token.consume(subject, handlers.handle, { concurrency: 2 }));
    for (const item of [1, 2, 3, 4]) subject.next(item);
    subject.complete();
    expect(handlers.running).toEqual([1, 2]);
    handlers.end(2);
    await settle();
    expect(handlers.running).toEqual([1, 3]);
    for (const item of [1, 3]) handlers.end(item);
    await settle();
    expect(consumed.status).toBe('pending');
    handlers.end(4);
    await settle();
    expect(consumed.status).toBe('resolved');
    expect(handlers.mostAtOnce).toBe(2);
  });

  it('is unsubscribed at a stop, and what was emitted before is handled', async () => {
    const { token, workers, handlers, settle } = setup();
    const subject = new Subject<number>();
    const consumed = outcomeOf(token.consume(subject, handlers.handle));
    for (const item of [1, 2]) subject.next(item);
    workers.requestStop();
    expect(subject.observed).toBe(false);
    subject.next(3);
    handlers.end(1);
    await settle();
    expect(handlers.running).toEqual([2]);
    handlers.end(2);
    await settle();
    expect(consumed.status).toBe('resolved');
    expect(handlers.started).toEqual([1, 2]);
  });

  it('is unsubscribed at a stop when there is nothing to handle', async () => {
    const { token, workers, settle } = setup();
    const subject = new Subject<number>();
    const consumed = outcomeOf(token.consume(() => subject, never));
    workers.requestStop();
    await settle();
    expect(consumed.status).toBe('resolved');
  });

  it('fails with its error when what was emitted before is handled', async () => {
    const { token, handlers, settle } = setup();
    const subject = new Subject<number>();
    const consumed = outcomeOf(token.consume(subject, handlers.handle));
    for (const item of [1, 2]) subject.next(item);
    subject.error(new Error('gone'));
    for (const item of [1, 2]) {
      expect(consumed.status).toBe('pending');
      handlers.end(item);
      await settle();
    }
    expect(consumed).toEqual({ status: 'rejected', value: new Error('gone') });
  });

  it.each([
    ['that errors at once', throwError(() => new Error('x'))],
    [
      'that cannot be subscribed to',
      {
        subscribe: () => {
          throw new Error('x');
        },
      } as unknown as Observable<never>,
    ],
  ])('rejects for one %s', async (_, source) => {
    const { token } = setup();
    await expect(token.consume(source, never)).rejects.toThrow('x');
  });

  it('takes one that emits all of it at once, with handlers that end at once or emit by themselves', async () => {
    const { token } = setup();
    const seen: number[] = [];
    await token.consume(from(Array.from({ length: 100_000 }, (_, n) => n)), (n) => void seen.push(n));
    expect(seen).toHaveLength(100_000);

    const loop = new Subject<number>();
    const order: string[] = [];
    const consumed = token.consume(loop, (n) => {
      order.push(`begin ${n}`);
      if (n < 3) loop.next(n + 1);
      else loop.complete();
      order.push(`end ${n}`);
    });
    loop.next(1);
    await consumed;
    expect(order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
  });

  it('takes what has piled up one after the other, not one within the other', async () => {
    const { token } = setup();
    const subject = new Subject<number>();
    const first = deferred();
    let handled = 0;
    const consumed = token.consume(subject, (n) => (n === 0 ? first.promise : void handled++));
    for (let n = 0; n <= 50_000; n++) subject.next(n);
    subject.complete();
    first.resolve();
    await consumed;
    expect(handled).toBe(50_000);
  });

  it('takes no more after a handler has failed, not even of what is emitted at once', async () => {
    const { token } = setup();
    const seen: number[] = [];
    const consumed = token.consume(of(1, 2, 3), (n) => {
      seen.push(n);
      throw new Error(`bad ${n}`);
    });
    await expect(consumed).rejects.toThrow('bad 1');
    expect(seen).toEqual([1]);
  });

  it('rejects when it cannot be unsubscribed', async () => {
    const { token, workers, settle } = setup();
    const source = new Observable<number>(() => () => {
      throw new Error('cannot close');
    });
    const consumed = outcomeOf(token.consume(source, never));
    workers.requestStop();
    await settle();
    expect(consumed.status).toBe('rejected');
  });
});

describe('consume', () => {
  it('gives handlers the signal of the process, and a function of the source one of its own', async () => {
    const { token } = setup();
    const signals: AbortSignal[] = [];
    await token.consume(
      (signal) => {
        signals.push(signal);
        return [1];
      },
      (_, signal) => void signals.push(signal),
    );
    expect(signals[1]).toBe(token.signal);
    expect(signals[0]).toBeInstanceOf(AbortSignal);
  });

  it.each<[string, (token: RunToken) => Promise<void>, RegExp]>([
    ['a source', (token) => token.consume(5 as never, never), /consume\(source\) is 5/],
    ['no source', (token) => token.consume(undefined as never, never), /consume\(source\) is undefined/],
    ['what a function returns', (token) => token.consume(() => null as never, never), /consume\(source\) is null/],
    ['a handler', (token) => token.consume([1], 'x' as never), /consume\(handler\) is 'x'/],
    ['onError', (token) => token.consume([1], never, { onError: 5 as never }), /consume\(options\)\.onError is 5/],
    ['concurrency', (token) => token.consume([1], never, { concurrency: 0 }), /consume\(options\)\.concurrency is 0/],
    ['an option', (token) => token.consume([1], never, { parallel: 1 } as never), /consume\(options\)\.parallel is 1/],
  ])('refuses %s that cannot work', async (_, consume, message) => {
    const { token, workers } = setup();
    await expect(consume(token)).rejects.toThrow(InvalidWorkerOptionError);
    await expect(consume(token)).rejects.toThrow(message);
    expect(workers.inFlight).toBe(1);
  });

  it('has no limit with Infinity', async () => {
    const { token, handlers, settle } = setup();
    void token.consume([1, 2, 3], handlers.handle, { concurrency: Infinity });
    await settle();
    expect(handlers.running).toEqual([1, 2, 3]);
  });

  it('that nobody awaits still holds the shutdown', async () => {
    const { workers, run, settle } = setupWorkers();
    const handlers = new HandHandlers();
    run((token) => void token.consume([1, 2], handlers.handle));
    await settle();
    const finished = outcomeOf(workers.finish());
    await settle();
    expect(finished.status).toBe('pending');
    handlers.end(1);
    await settle();
    expect(finished.status).toBe('resolved');
    expect(handlers.started).toEqual([1]);
  });
});
