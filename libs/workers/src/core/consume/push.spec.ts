import { deferred } from '@roost/kernel';
import { from, Observable, of, Subject, throwError } from 'rxjs';
import { never, outcomeOf } from '../workers.fixture.js';
import { setup } from './sources.fixture.js';

describe('consume with an observable', () => {
  it('queues emitted items until there is room', async () => {
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

  it('unsubscribes on a stop and handles the items emitted before', async () => {
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

  it('unsubscribes on a stop when there is nothing to handle', async () => {
    const { token, workers, settle } = setup();
    const subject = new Subject<number>();
    const consumed = outcomeOf(token.consume(() => subject, never));
    workers.requestStop();
    await settle();
    expect(consumed.status).toBe('resolved');
  });

  it('fails with the error of the source after the items emitted before are handled', async () => {
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
  ])('rejects for a source %s', async (_, source) => {
    const { token } = setup();
    await expect(token.consume(source, never)).rejects.toThrow('x');
  });

  it('handles a source that emits synchronously, with handlers that end at once or emit themselves', async () => {
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

  it('handles queued items one after the other, without recursion', async () => {
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

  it('takes no further items after a handler has failed, even if they are emitted synchronously', async () => {
    const { token } = setup();
    const seen: number[] = [];
    const consumed = token.consume(of(1, 2, 3), (n) => {
      seen.push(n);
      throw new Error(`bad ${n}`);
    });
    await expect(consumed).rejects.toThrow('bad 1');
    expect(seen).toEqual([1]);
  });

  it('rejects when unsubscribing fails', async () => {
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
