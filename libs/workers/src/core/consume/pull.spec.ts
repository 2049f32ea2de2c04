import { EventEmitter, on } from 'node:events';
import { deferred } from '@roost/kernel';
import { never, outcomeOf } from '../workers.fixture.js';
import { HandSource, setup } from './sources.fixture.js';

describe('consume with an async iterable', () => {
  it('handles one item at a time, and asks for the next only when there is room', async () => {
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

  it('handles up to the allowed number of items concurrently, in the order of the source', async () => {
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

  it('asks for no further items after a stop, closes the source, and finishes the taken items', async () => {
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

  it('handles an item that was being produced when the stop was requested', async () => {
    const { token, workers, handlers, settle } = setup();
    const source = new HandSource('ignores');
    const consumed = outcomeOf(token.consume(source, handlers.handle));
    await settle();
    workers.requestStop();
    await settle();
    expect(source.returned).toBe(1);
    expect(workers.describeInFlight()).toBe('worker: waiting for its source; pass the signal to it');

    source.feed(7);
    await settle();
    expect(handlers.running).toEqual([7]);
    handlers.end(7);
    await settle();
    expect(consumed.status).toBe('resolved');
    expect(source.asked).toBe(1);
  });

  it('ends a blocked source that return() unblocks', async () => {
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

  it('resolves immediately without opening the source when the process must stop', async () => {
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

  it('works without return()', async () => {
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

describe('consume with a failing source', () => {
  it.each(['next() that rejects', 'next() that throws', 'opening that throws', 'no iterator result'])(
    'rejects with the error of the source: %s',
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

  it('handles the taken items first', async () => {
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

  it('rejects when the source cannot be closed', async () => {
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

  it('waits until the source is closed, even after it failed', async () => {
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

  it('resolves when the source only reports the abort', async () => {
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

describe('consume with an iterable', () => {
  it('handles all items and ends with the source', async () => {
    const { token } = setup();
    const seen: unknown[] = [];
    await token.consume(new Set([1, 2]), (item) => void seen.push(item));
    await token.consume('ab', (item) => void seen.push(item));
    expect(seen).toEqual([1, 2, 'a', 'b']);
  });

  it('closes a generator, even if the stop is requested inside it', async () => {
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

  it('yields to the event loop, however many items there are', async () => {
    const { token, workers } = setup();
    let taken = 0;
    function* endless(): Generator<number> {
      for (;;) yield taken++;
    }
    setImmediate(() => workers.requestStop());
    await token.consume(endless(), () => undefined);
    expect(taken).toBeLessThan(1_000);
  });

  it('handles any number of items', async () => {
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
