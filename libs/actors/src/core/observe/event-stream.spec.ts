import { deferred } from '@roost/kernel';
import { recorder, settle, testSystem } from '../actor-system.fixture.js';
import { Behavior } from '../behavior.js';
import { DeadLetter } from './dead-letters.js';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { ActorFailed, ActorRestarted, ActorStopped } from './event-stream.js';
import { bounded, Overflow } from '../mailbox/mailbox-options.js';
import { Props } from '../props.js';
import { Resume, Suspend } from '../system-messages.js';

class Happened {
  constructor(readonly what: string) {}
}
class Special extends Happened {}
class Unrelated {}

describe('EventStream', () => {
  it('sends an event once to each subscriber of its class or a base class', async () => {
    const { system } = testSystem();
    const [base, special, both, all] = [[], [], [], []] as unknown[][];
    const toBoth = system.spawn(recorder(both));
    system.events.subscribe(system.spawn(recorder(base)), Happened);
    system.events.subscribe(system.spawn(recorder(special)), Special);
    system.events.subscribe(toBoth, Happened);
    system.events.subscribe(toBoth, Special);
    system.events.subscribe(toBoth, Special);
    system.events.subscribe(system.spawn(recorder(all)), Object);
    const events = [new Happened('a'), new Special('b'), new Unrelated()];
    for (const event of events) system.events.publish(event);
    await settle();

    expect([base, special, both, all]).toEqual([events.slice(0, 2), [events[1]], events.slice(0, 2), events]);
  });

  it('stops sending after unsubscribe, for one class or for all', async () => {
    const { system } = testSystem();
    const got: unknown[] = [];
    const ref = system.spawn(recorder(got));
    system.events.subscribe(ref, Happened);
    system.events.subscribe(ref, Unrelated);
    system.events.unsubscribe(ref, Happened);
    system.events.unsubscribe(ref, Special);
    system.events.publish(new Happened('a'));
    const unrelated = new Unrelated();
    system.events.publish(unrelated);
    system.events.unsubscribe(ref);
    system.events.publish(unrelated);
    await settle();

    expect(got).toEqual([unrelated]);
  });

  it('removes an actor that has stopped', async () => {
    const { system, deadLetters } = testSystem();
    const ref = system.spawn(recorder());
    system.events.subscribe(ref, Happened);
    ref.stop();
    await ref.whenTerminated();
    await settle();
    system.events.publish(new Happened('after'));
    await settle();

    expect(deadLetters).toEqual([]);
  });

  it.each([undefined, 'Happened', {}])('rejects %p as a class', (bad) => {
    const { system } = testSystem();
    const ref = system.spawn(recorder());

    expect(() => system.events.subscribe(ref, bad as never)).toThrow(InvalidActorOptionError);
  });

  it('accepts events without a class', () => {
    const { system } = testSystem();
    const got: object[] = [];
    system.events$.subscribe((event) => got.push(event));
    system.events.subscribe(system.spawn(recorder()), Happened);
    const bare = Object.create(null) as object;

    expect(() => system.events.publish(bare)).not.toThrow();
    expect(got).toEqual([bare]);
  });

  it('is a synchronous observable of all events until the system has stopped', async () => {
    const { system } = testSystem();
    const got: object[] = [];
    let completed = 0;
    system.events$.subscribe({ next: (event) => got.push(event), complete: () => completed++ });
    const event = new Happened('a');
    system.events.publish(event);
    expect(got).toEqual([event]);
    expect(completed).toBe(0);
    await system.shutdown();

    expect(completed).toBe(1);
    expect(() => system.events.publish(event)).not.toThrow();
  });

  it('publishes failures, restarts and stops', async () => {
    const { system } = testSystem();
    const got: unknown[] = [];
    const error = new Error('no');
    const ref = system.spawn(
      Behavior.receive(() => {
        throw error;
      }),
    );
    system.events$.subscribe((event) => got.push(event));
    ref.tell('fail');
    await settle();
    ref.stop();
    await ref.whenTerminated();

    expect(got.map((event) => (event as object).constructor)).toEqual([ActorFailed, ActorRestarted, ActorStopped]);
    expect(got[0]).toMatchObject({ error, directive: 'restart' });
    expect((got[1] as ActorRestarted).restarts).toBe(1);
    expect((got[2] as ActorStopped).ref).toBe(ref);
  });
});

describe('a subscriber that cannot accept an event', () => {
  it('turns it into a dead letter when full, and other subscribers still get it', async () => {
    const { system, deadLetters } = testSystem();
    const got: unknown[] = [];
    const full = system.spawn(Props.of(recorder(), { mailbox: bounded(1, Overflow.Throw) }), 'full');
    full.tell(Suspend);
    full.tell('first');
    system.events.subscribe(full, Happened);
    system.events.subscribe(system.spawn(recorder(got)), Happened);
    const event = new Happened('a');

    expect(() => system.events.publish(event)).not.toThrow();
    await settle();
    expect(got).toEqual([event]);
    expect(deadLetters.map(({ message, recipient, reason }) => [message, recipient, reason])).toEqual([
      [event, '/user/full', 'mailbox-full'],
    ]);
  });

  it.each([Overflow.DropNewest, Overflow.DropOldest, Overflow.Throw])(
    'causes no endless loop when the events are dead letters (%s)',
    async (overflow) => {
      const { system } = testSystem();
      const got: DeadLetter[] = [];
      const morgue = system.spawn(Props.of(recorder(got), { mailbox: bounded(2, overflow) }), 'morgue');
      system.events.subscribe(morgue, DeadLetter);
      const ended = system.spawn(recorder(), 'ended');
      ended.stop();
      await ended.whenTerminated();
      morgue.tell(Suspend);
      for (const n of [1, 2, 3, 4]) expect(() => ended.tell(n)).not.toThrow();
      morgue.tell(Resume);
      await settle();

      expect(got.map(({ message }) => message)).toEqual(overflow === Overflow.DropOldest ? [3, 4] : [1, 2]);
      // Four messages, and two of their dead letters for which the subscriber had no room.
      expect(system.deadLetterCount).toBe(6);
    },
  );

  it('causes no endless loop when it stops with dead letters in its mailbox', async () => {
    const { system } = testSystem();
    const morgue = system.spawn(recorder(), 'morgue');
    system.events.subscribe(morgue, DeadLetter);
    const ended = system.spawn(recorder(), 'ended');
    ended.stop();
    await ended.whenTerminated();
    morgue.stop();
    for (const n of [1, 2, 3]) ended.tell(n);
    morgue.tell('mail');
    await morgue.whenTerminated();
    await settle();

    // Four messages, and the dead letter about each, which could not be delivered either.
    expect(system.deadLetterCount).toBe(8);
  });

  it('causes no endless loop when it does not handle dead letters', async () => {
    const { system } = testSystem();
    const morgue = system.spawn(
      Behavior.receive(() => Behavior.unhandled()),
      'morgue',
    );
    system.events.subscribe(morgue, DeadLetter);
    morgue.tell('mail');
    await settle();

    expect(system.deadLetterCount).toBe(2);
  });

  it('does not break the system when it is full while actors stop', async () => {
    const { system } = testSystem();
    const full = system.spawn(Props.of(recorder(), { mailbox: bounded(1, Overflow.Throw) }), 'full');
    full.tell(Suspend);
    full.tell('first');
    system.events.subscribe(full, ActorStopped);
    const got: unknown[] = [];
    const one = system.spawn(recorder());
    one.stop();
    const other = system.spawn(recorder(got));
    other.tell('still here');
    await settle();
    const ended = deferred();
    void one.whenTerminated().then(() => ended.resolve());
    await ended.promise;

    expect(got).toEqual(['still here']);
  });
});
