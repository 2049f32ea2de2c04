import fc from 'fast-check';
import { seal } from '../payload/seal.js';
import { EventQueue, type EventTarget } from './event-queue.js';

const nobody: EventTarget = { accept: () => undefined };

const operation = fc.oneof(
  { weight: 3, arbitrary: fc.record({ time: fc.nat({ max: 4 }), microstep: fc.nat({ max: 2 }) }) },
  { weight: 2, arbitrary: fc.constant('pop' as const) },
  { weight: 1, arbitrary: fc.constant('clear' as const) },
);

describe('EventQueue', () => {
  it('sorts events by tag, and by arrival at the same tag', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const queue = new EventQueue();
        let model: { time: number; microstep: number; id: number }[] = [];
        const idOf = (event: ReturnType<EventQueue['pop']>) => event?.sealed.value;
        for (const [id, one] of operations.entries()) {
          if (one === 'pop') {
            expect(idOf(queue.pop())).toBe(model.shift()?.id);
          } else if (one === 'clear') {
            queue.clear();
            model = [];
          } else {
            queue.push(one.time, one.microstep, nobody, seal(id));
            model.push({ ...one, id });
            // The sort is stable.
            model.sort((a, b) => a.time - b.time || a.microstep - b.microstep);
          }
          expect(queue.size).toBe(model.length);
          expect(idOf(queue.first)).toBe(model[0]?.id);
        }
        while (model.length > 0) expect(idOf(queue.pop())).toBe(model.shift()!.id);
        expect(queue.pop()).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it('counts the queued events of each node, and ignores events without an owner', () => {
    const queue = new EventQueue();
    const of = (owner: string): EventTarget => ({ owner, accept: () => undefined });
    for (const target of [of('a'), of('b'), of('a'), nobody]) queue.push(1, 0, target, seal(undefined));
    expect(Object.fromEntries(queue.countByOwner())).toEqual({ a: 2, b: 1 });
  });
});
