import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { advance, settle, testSystem } from '../actor-system.fixture.js';
import { Behavior } from '../behavior.js';
import { DeadLetter } from './dead-letters.js';

const NAMES = ['spawn', 'run', 'failure', 'restart', 'stop', 'dead-letter'] as const;

describe('diagnostics channels', () => {
  const seen: [string, unknown][] = [];
  const listeners = NAMES.map((name) => {
    return [`roost:actors:${name}`, (event: unknown): void => void seen.push([name, event])] as const;
  });
  beforeEach(() => {
    for (const [name, listener] of listeners) subscribe(name, listener);
  });
  afterEach(() => {
    for (const [name, listener] of listeners) unsubscribe(name, listener);
    seen.length = 0;
  });

  it('publish the whole life of an actor', async () => {
    const { system } = testSystem();
    const error = new Error('asked to');
    const ref = system.spawn(
      Behavior.receive<string>((_ctx, message) => {
        if (message === 'fail') throw error;
        if (message === 'unknown') return Behavior.unhandled();
      }),
    );
    ref.tell('a');
    ref.tell('b');
    await settle();
    ref.tell('fail');
    await settle();
    ref.tell('unknown');
    await settle();
    ref.stop();
    await ref.whenTerminated();

    expect(seen.map(([name]) => name).filter((name) => name !== 'run')).toEqual([
      'spawn',
      'failure',
      'restart',
      'dead-letter',
      'stop',
    ]);
    const of = (name: string): unknown[] => seen.filter(([other]) => other === name).map(([, event]) => event);
    expect(of('failure')).toMatchObject([{ error, directive: 'restart' }]);
    expect(of('restart')).toMatchObject([{ restarts: 1 }]);
    expect(of('dead-letter')[0]).toBeInstanceOf(DeadLetter);
    for (const name of ['spawn', 'run', 'failure', 'restart', 'stop']) {
      for (const event of of(name)) expect((event as { ref: unknown }).ref).toBe(ref);
    }
    expect((of('run') as { messages: number }[]).reduce((sum, { messages }) => sum + messages, 0)).toBe(4);
  });

  it('count messages from timers, asks and asynchronous handlers, but not signals', async () => {
    const test = testSystem();
    const ref = test.system.spawn(
      Behavior.setup<string>((ctx) => {
        ctx.timers.once('key', 'timer', 10);
        return Behavior.receive<string>(async (own) => {
          if (own.sender) own.reply('yes');
        }).onSignal(() => undefined);
      }),
    );
    await ref.ask(() => 'question');
    ref.tell('told');
    await advance(test, 10);
    ref.stop();
    await ref.whenTerminated();

    const runs = seen.filter(([name]) => name === 'run').map(([, event]) => (event as { messages: number }).messages);
    expect(runs.reduce((sum, messages) => sum + messages, 0)).toBe(3);
  });
});
