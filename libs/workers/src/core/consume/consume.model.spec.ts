import { sleep } from '@roost/time';
import fc from 'fast-check';
import { Subject } from 'rxjs';
import { setup as setupWorkers } from '../workers.fixture.js';

interface Plan {
  /** Time that the source and the handler take for each item, and the outcome. */
  readonly items: readonly { readonly waitMs: number; readonly workMs: number; readonly fails: boolean }[];
  readonly concurrency: number;
  /** Time of the stop request. */
  readonly stopAtMs: number;
  readonly handlesErrors: boolean;
  /** Whether `return()` unblocks a pending `next()`. */
  readonly unblocks: boolean;
  /** Whether the source fails after its last item. */
  readonly sourceFails: boolean;
}

const plans: fc.Arbitrary<Plan> = fc.record({
  items: fc.array(
    fc.record({
      waitMs: fc.integer({ min: 0, max: 5 }),
      workMs: fc.integer({ min: 0, max: 10 }),
      fails: fc.nat({ max: 4 }).map((n) => n === 0),
    }),
    { maxLength: 12 },
  ),
  concurrency: fc.integer({ min: 1, max: 4 }),
  stopAtMs: fc.integer({ min: 0, max: 60 }),
  handlesErrors: fc.boolean(),
  unblocks: fc.boolean(),
  sourceFails: fc.boolean(),
});

/** Runs a plan to completion on a manual clock and records what happens. */
async function execute(plan: Plan, kind: 'iterable' | 'observable') {
  const { clock, workers, run } = setupWorkers();
  const seen = { taken: [] as number[], started: [] as number[], ended: [] as number[], dealt: [] as number[] };
  let running = 0;
  let mostAtOnce = 0;
  let askedAfterStop = 0;
  let isStopped = false;
  let firstFailureAt: number | undefined;
  let askedAfterFailure = 0;
  const wait = (ms: number) => sleep(ms, { clock });

  let index = 0;
  let unblock: (() => void) | undefined;
  const iterable = {
    [Symbol.asyncIterator]: () => ({
      next: async (): Promise<IteratorResult<number>> => {
        if (isStopped) askedAfterStop++;
        if (firstFailureAt !== undefined) askedAfterFailure++;
        const item = plan.items[index];
        const closed = new Promise<'closed'>((resolve) => (unblock = () => resolve('closed')));
        const result = await Promise.race([wait(item?.waitMs ?? 0), closed]);
        if (result === 'closed') return { done: true, value: undefined };
        if (item) {
          seen.taken.push(index);
          return { done: false, value: index++ };
        }
        if (plan.sourceFails) throw new Error('source');
        return { done: true, value: undefined };
      },
      return: (): Promise<IteratorResult<number>> => {
        if (plan.unblocks) unblock?.();
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
  const subject = new Subject<number>();
  const emit = async (): Promise<void> => {
    for (const [position, { waitMs }] of plan.items.entries()) {
      await wait(waitMs);
      if (subject.observed) seen.taken.push(position);
      subject.next(position);
    }
    if (plan.sourceFails) subject.error(new Error('source'));
    else subject.complete();
  };

  const handler = async (position: number): Promise<void> => {
    seen.started.push(position);
    mostAtOnce = Math.max(mostAtOnce, ++running);
    await wait(plan.items[position]!.workMs);
    running--;
    seen.ended.push(position);
    if (!plan.items[position]!.fails) return;
    if (!plan.handlesErrors) firstFailureAt ??= clock.monotonic();
    throw new Error(`item ${position}`);
  };
  const options = {
    concurrency: plan.concurrency,
    ...(plan.handlesErrors && { onError: (_: unknown, position: number) => void seen.dealt.push(position) }),
  };
  let outcome: unknown = 'pending';
  const { token } = run(() => new Promise(() => undefined));
  const consumed = token.consume(kind === 'iterable' ? iterable : subject, handler, options).then(
    () => (outcome = 'resolved'),
    (error: Error) => (outcome = error.message),
  );
  if (kind === 'observable') void emit();
  clock.setTimer(plan.stopAtMs, () => {
    isStopped = true;
    workers.requestStop();
  });
  await clock.advanceAsync(1_000);
  await consumed;
  return { ...seen, mostAtOnce, askedAfterStop, askedAfterFailure, outcome };
}

describe.each(['iterable', 'observable'] as const)('consume with any %s', (kind) => {
  it('keeps its contract', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const result = await execute(plan, kind);

        expect(result.mostAtOnce).toBeLessThanOrEqual(plan.concurrency);
        // Each taken item is started once, in order, and finished.
        expect(result.started).toEqual(result.taken);
        expect(result.ended.toSorted((a, b) => a - b)).toEqual(result.taken);
        expect(result.taken).toEqual(plan.items.map((_, position) => position).slice(0, result.taken.length));
        expect(result.askedAfterStop).toBe(0);
        expect(result.askedAfterFailure).toBe(0);

        const failed = result.ended.filter((position) => plan.items[position]!.fails);
        if (plan.handlesErrors) {
          expect(result.dealt).toEqual(failed);
          expect(['resolved', 'source']).toContain(result.outcome);
        } else if (failed.length > 0) {
          expect([...failed.map((position) => `item ${position}`), 'source']).toContain(result.outcome);
        }
        if (failed.length === 0 && !plan.sourceFails) expect(result.outcome).toBe('resolved');
      }),
      { numRuns: 300 },
    );
  }, 60_000);
});
