import fc from 'fast-check';
import { outcomeOf } from '../workers.fixture.js';
import { type FakeChild, testSlots } from './child-slots.fixture.js';
import { SlotsModel } from './child-slots.model.fixture.js';

const SLOTS = 3;

interface Command {
  readonly what: 'ready' | 'exit' | 'advance' | 'roll' | 'stop';
  readonly slot: number;
  /** Indexes of children of a slot, oldest first. */
  readonly child: number;
  readonly code: number;
  readonly ms: number;
}

const command = fc.record<Command>({
  what: fc.oneof(
    { weight: 8, arbitrary: fc.constant('ready' as const) },
    { weight: 6, arbitrary: fc.constantFrom('exit' as const, 'advance' as const) },
    { weight: 2, arbitrary: fc.constant('roll' as const) },
    { weight: 1, arbitrary: fc.constant('stop' as const) },
  ),
  slot: fc.nat(SLOTS - 1),
  child: fc.nat(1),
  code: fc.constantFrom(0, 1),
  ms: fc.constantFrom(50, 100, 400, 3_000, 5_000, 60_000),
});

/** Applies the same commands to slots with fake children. */
function startSubject() {
  const set = testSlots([{ count: 2 }, { name: 'jobs' }]);
  const { slots, children, happened } = set;
  let rolled: { status: string } = { status: 'none' };
  let stopped: { status: string; value?: unknown } = { status: 'none' };
  slots.start();
  const childrenOf = (slot: number) => children.alive.filter(({ name }) => name === slots.all[slot]!.name);
  return {
    ...set,
    childrenOf,
    get isRolling() {
      return rolled.status === 'pending';
    },
    get stopped() {
      return stopped;
    },
    failures: () => happened.filter((one) => one.startsWith('failed')).length,
    roll: () => void (rolled = outcomeOf(slots.roll())),
    stop: () => void (stopped = outcomeOf(slots.stop())),
  };
}

describe('ChildSlots compared with a model', () => {
  it('have exactly the expected children after any sequence of events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
        const model = new SlotsModel(SLOTS);
        const subject = startSubject();
        const { slots, children, clock } = subject;
        /** Describes a child by its start time and the requests it has received. */
        const describe = () =>
          slots.all.map((slot, i) => {
            const kids = slot.children.map(({ startedAt, handle }) => {
              const { stops, kills } = handle as FakeChild;
              return `${startedAt}${stops.join('+')}${'!'.repeat(kills)}`;
            });
            expect(slot.children.map(({ handle }) => handle)).toEqual(subject.childrenOf(i));
            return `${slot.state} ${kids.join()}`;
          });

        for (const { what, slot, child, ms, code } of commands) {
          const [real, kid] = [subject.childrenOf(slot)[child], model.slots[slot]!.kids[child]];
          expect(real === undefined).toBe(kid === undefined);
          if (what === 'ready' && real && kid) {
            real.ready();
            model.ready(model.slots[slot]!, kid);
          } else if (what === 'exit' && real && kid) {
            real.exit(code);
            model.exit(model.slots[slot]!, kid);
          } else if (what === 'roll' && !subject.isRolling && !model.isStopping) {
            subject.roll();
            model.beginRoll();
          } else if (what === 'stop') {
            subject.stop();
            model.stop();
          } else if (what === 'advance') {
            await clock.advanceAsync(ms);
            model.advance(ms);
          }
          await subject.settle();

          expect(describe()).toEqual(model.describe());
          expect(children.all).toHaveLength(model.started);
          expect(slots.alive.size).toBe(children.alive.length);
          expect(slots.alive.size).toBeLessThanOrEqual(SLOTS + 1);
          expect(subject.failures()).toBe(model.slots.filter(({ isFailed }) => isFailed).length);
          if (!model.isStopping) expect(subject.isRolling).toBe(model.roll !== undefined);
          if (model.isStopping) expect(subject.stopped.status === 'resolved').toBe(slots.alive.size === 0);
        }

        subject.stop();
        for (const child of children.alive) child.exit(0);
        await clock.advanceAsync(60_000);
        expect(subject.stopped.status).toBe('resolved');
        expect(subject.isRolling).toBe(false);
        expect([slots.alive.size, children.all.length, clock.pendingTimers]).toEqual([0, model.started, 0]);
      }),
      { numRuns: 300 },
    );
  });
});
