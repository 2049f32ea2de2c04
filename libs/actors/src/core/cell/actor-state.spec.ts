import fc from 'fast-check';
import { assertTransition, State, stateName } from './actor-state.js';
import { InvalidActorStateTransition } from '../errors/invalid-actor-state-transition.error.js';

const STATES = Object.values(State);
type Name = ReturnType<typeof stateName>;

/** Written independently, from the documented lifecycle. */
const ALLOWED = new Set<string>([
  'ready → starting',
  'ready → stopping',
  'starting → running',
  'starting → stopping',
  'running → suspended',
  'running → stopping',
  'suspended → running',
  'suspended → stopping',
  'stopping → stopped',
]);

const attempt =
  (from: State, to: State): (() => void) =>
  () =>
    assertTransition(from, to, () => '/user/cart');
const pairs = STATES.flatMap((from) => STATES.map((to) => [stateName(from), stateName(to), from, to] as const));

describe('actor states', () => {
  it('have these names, in lifecycle order', () => {
    expect(STATES.map(stateName)).toEqual(['ready', 'starting', 'running', 'suspended', 'stopping', 'stopped']);
  });

  it.each(pairs.filter(([from, to]) => ALLOWED.has(`${from} → ${to}`)))(
    'allow %s to be followed by %s',
    (_f, _t, from, to) => {
      expect(attempt(from, to)).not.toThrow();
    },
  );

  it.each(pairs.filter(([from, to]) => !ALLOWED.has(`${from} → ${to}`)))(
    'do not allow %s to be followed by %s',
    (fromName, toName, from, to) => {
      expect(attempt(from, to)).toThrow(InvalidActorStateTransition);
      expect(attempt(from, to)).toThrow(
        expect.objectContaining({ path: '/user/cart', from: fromName, to: toName, code: 'ACTORS_INVALID_TRANSITION' }),
      );
    },
  );

  it('agree with the model for any sequence of steps', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STATES), { maxLength: 40 }), (steps) => {
        let state: State = State.Ready;
        let model: Name = 'ready';
        for (const to of steps) {
          const name = stateName(to);
          let accepted = true;
          try {
            assertTransition(state, to, () => '/user/cart');
            state = to;
          } catch (error) {
            accepted = false;
            expect(error).toBeInstanceOf(InvalidActorStateTransition);
          }
          expect(accepted).toBe(ALLOWED.has(`${model} → ${name}`));
          if (accepted) model = name;
          expect(stateName(state)).toBe(model);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('all lead to Stopped, which is final', () => {
    for (const to of STATES) expect(attempt(State.Stopped, to)).toThrow(InvalidActorStateTransition);
    for (const from of STATES.filter((state) => state < State.Stopping)) {
      expect(attempt(from, State.Stopping)).not.toThrow();
    }
  });
});
