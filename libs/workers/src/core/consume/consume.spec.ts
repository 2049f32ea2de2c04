import { deferred } from '@roost/kernel';
import { InvalidWorkerOptionError, type RunToken, StopRequestedError } from '../index.js';
import { never, outcomeOf, setup as setupWorkers } from '../workers.fixture.js';
import { HandHandlers, HandSource, setup } from './sources.fixture.js';

describe('consume with a failing handler', () => {
  it.each(['throws', 'rejects'])('takes no further items, finishes the others, and rejects (%s)', async (how) => {
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

  it('lets the process restart', async () => {
    const { clock, run } = setupWorkers();
    let runs = 0;
    run((token) => {
      runs++;
      return token.consume([1], () => Promise.reject(new Error('x')));
    });
    await clock.advanceAsync(100);
    expect(runs).toBe(2);
  });

  it('ends a blocked source through the signal it was opened with', async () => {
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

  it('logs further errors, and prefers an error that is not the abort', async () => {
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
      expect.stringMatching(/^error: "worker": another failure in a consume\(\): Error: further/),
    ]);
  });

  it('continues when onError handles the error, and waits for onError', async () => {
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

  it.each(['throws', 'rejects'])('rejects with the error that onError %s', async (how) => {
    const { token } = setup();
    const onError = () => {
      if (how === 'throws') throw new Error('no dead letters');
      return Promise.reject(new Error('no dead letters'));
    };
    const consumed = token.consume([1, 2], () => Promise.reject(new Error('bad')), { onError });
    await expect(consumed).rejects.toThrow('no dead letters');
  });

  it('accepts any result, even one that throws when it is read', async () => {
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

describe('consume', () => {
  it('passes the signal of the process to handlers, and another signal to a source function', async () => {
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
    ['a source', (token) => token.consume(5 as never, never), /consume\(source\)` is 5/],
    ['no source', (token) => token.consume(undefined as never, never), /consume\(source\)` is undefined/],
    ['what a function returns', (token) => token.consume(() => null as never, never), /consume\(source\)` is null/],
    ['a handler', (token) => token.consume([1], 'x' as never), /consume\(handler\)` is 'x'/],
    ['onError', (token) => token.consume([1], never, { onError: 5 as never }), /consume\(options\)\.onError` is 5/],
    ['concurrency', (token) => token.consume([1], never, { concurrency: 0 }), /consume\(options\)\.concurrency` is 0/],
    [
      'an option',
      (token) => token.consume([1], never, { parallel: 1 } as never),
      /consume\(options\)\.parallel` is set/,
    ],
  ])('rejects an invalid value for %s', async (_, consume, message) => {
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

  it('delays the shutdown even if it is not awaited', async () => {
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
