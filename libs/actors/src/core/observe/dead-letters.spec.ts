import { recorder, settle, testSystem } from '../actor-system.fixture.js';
import { Behavior } from '../behavior.js';
import { DeadLetter } from './dead-letters.js';

class Secret {
  readonly password = 'hunter2';
}

/** A system with a stopped actor. */
async function withEnded(options = {}) {
  const test = testSystem(options);
  const ended = test.system.spawn(recorder(), 'ended');
  ended.stop();
  await ended.whenTerminated();
  return { ...test, ended };
}

describe('dead letters', () => {
  it('contain the message, its receiver, its sender and the reason', async () => {
    const { system, ended, deadLetters } = await withEnded();
    const sender = system.spawn(recorder(), 'sender');
    const message = new Secret();
    ended.tell(message, sender);

    expect(deadLetters[0]).toBeInstanceOf(DeadLetter);
    expect(deadLetters[0]!.message).toBe(message);
    expect(deadLetters[0]!.sender).toBe(sender);
    expect(deadLetters[0]).toMatchObject({ recipient: '/user/ended', reason: 'stopped' });
  });

  it('include messages for which an actor returns unhandled(), and the actor continues', async () => {
    const { system, deadLetters } = testSystem();
    const handled: number[] = [];
    const ref = system.spawn(
      Behavior.receive<number>((_ctx, n) => {
        if (n % 2) return Behavior.unhandled();
        handled.push(n);
      }),
    );
    for (const n of [1, 2, 3, 4]) ref.tell(n);
    await settle();

    expect(handled).toEqual([2, 4]);
    expect(deadLetters.map(({ message, reason }) => [message, reason])).toEqual([
      [1, 'unhandled'],
      [3, 'unhandled'],
    ]);
  });

  it('are counted, and the most recent ones are kept, oldest first', async () => {
    const { system, ended } = await withEnded({ deadLetterBuffer: 3 });
    const kept = (): unknown[] => system.recentDeadLetters().map(({ message }) => message);
    expect(kept()).toEqual([]);
    ended.tell(1);
    ended.tell(2);
    expect(kept()).toEqual([1, 2]);
    ended.tell(3);
    expect(kept()).toEqual([1, 2, 3]);
    for (const n of [4, 5]) ended.tell(n);

    expect(kept()).toEqual([3, 4, 5]);
    expect(system.deadLetterCount).toBe(5);
    system.recentDeadLetters().pop();
    expect(kept()).toEqual([3, 4, 5]);
  });

  it('are not kept when the buffer size is 0', async () => {
    const { system, ended } = await withEnded({ deadLetterBuffer: 0 });
    ended.tell(1);

    expect(system.recentDeadLetters()).toEqual([]);
    expect(system.deadLetterCount).toBe(1);
  });

  it('are logged up to a limit, with their class but not their contents', async () => {
    const { system, ended, logger } = await withEnded({ logDeadLetters: 2 });
    ended.tell(new Secret(), system.spawn(recorder(), 'sender'));
    ended.tell({ type: 'order-placed', password: 'hunter2' });
    ended.tell('not logged');

    expect(logger.lines).toEqual([
      'warn: /user/ended: dead letter: Secret from /user/sender (stopped)',
      'warn: /user/ended: dead letter: Object of type "order-placed" (stopped); ' +
        'further dead letters are not logged, see system.deadLetters$',
    ]);
  });

  it('are not logged when the limit is 0', async () => {
    const { ended, logger } = await withEnded({ logDeadLetters: 0 });
    ended.tell(1);

    expect(logger.lines).toEqual([]);
  });

  it('never throw at the sender, whatever the message is', async () => {
    const { ended, system } = await withEnded();
    const odd = {
      get type(): string {
        throw new Error('do not look');
      },
    };
    for (const message of [odd, null, undefined, Object.create(null), Symbol('s'), () => undefined, 1n]) {
      expect(() => ended.tell(message)).not.toThrow();
    }

    expect(system.deadLetterCount).toBe(7);
    await expect(ended.ask(() => odd)).rejects.toThrow('the actor is stopping or has stopped');
  });

  it('are an observable that completes when the system has stopped; later ones are still counted', async () => {
    const { system, ended } = await withEnded();
    const seen: unknown[] = [];
    let completed = false;
    system.deadLetters$.subscribe({ next: ({ message }) => seen.push(message), complete: () => (completed = true) });
    system.events.publish(new Secret());
    ended.tell(1);
    expect([seen, completed]).toEqual([[1], false]);
    const report = await system.shutdown();
    expect([report.deadLetters, completed]).toEqual([1, true]);
    ended.tell(2);

    expect([seen, system.deadLetterCount]).toEqual([[1], 2]);
    let late = false;
    system.deadLetters$.subscribe({ complete: () => (late = true) });
    expect(late).toBe(true);
  });
});
