import fc from 'fast-check';
import { pair } from './channel.fixture.js';

/** Possible actions. Numbers choose among the available targets. */
type Act =
  | { readonly act: 'send'; readonly side: 'a' | 'b'; readonly count: number }
  | { readonly act: 'step'; readonly route: number; readonly times: number }
  | { readonly act: 'cut'; readonly keepToB: number; readonly keepToA: number }
  | { readonly act: 'heal' }
  | { readonly act: 'lose' | 'repeat'; readonly side: 'a' | 'b' }
  | { readonly act: 'reconnect'; readonly side: 'a' | 'b' }
  | { readonly act: 'wait'; readonly ms: number }
  | { readonly act: 'restart' };

const sides = fc.constantFrom('a' as const, 'b' as const);
const few = fc.nat({ max: 5 });
const acts: fc.Arbitrary<Act>[] = [
  fc.record({ act: fc.constant('send' as const), side: sides, count: fc.constantFrom(1, 2, 3, 70) }),
  fc.record({ act: fc.constant('step' as const), route: fc.nat({ max: 1 }), times: few }),
  fc.record({ act: fc.constant('step' as const), route: fc.nat({ max: 1 }), times: few }),
  fc.record({ act: fc.constant('cut' as const), keepToB: few, keepToA: few }),
  fc.record({ act: fc.constant('heal' as const) }),
  fc.record({ act: fc.constantFrom('lose' as const, 'repeat' as const), side: sides }),
  // As with a broker, only one side notices.
  fc.record({ act: fc.constant('reconnect' as const), side: sides }),
  fc.record({ act: fc.constant('wait' as const), ms: fc.constantFrom(1, 20, 999, 1_000, 5_000) }),
];
const restart: fc.Arbitrary<Act> = fc.record({ act: fc.constant('restart' as const) });

/** Executes a plan until everything is quiet. Side b may restart, and a resets the channel immediately. */
async function execute(plan: readonly Act[]) {
  const { network, clock, a, b, settle } = await pair();
  const sent = { a: [[]] as string[][], b: [[]] as string[][] };
  const lives: string[][] = [];
  let count = 0;
  let life = 21;
  a.onRestart = () => {
    a.channel.reset();
    sent.a.push([]);
  };
  const other = { a: 'b', b: 'a' } as const;
  for (const step of plan) {
    switch (step.act) {
      case 'send':
        for (let left = step.count; left > 0; left--) {
          const text = `${step.side}${count++}`;
          (step.side === 'a' ? a : b).send(text);
          sent[step.side].at(-1)!.push(text);
        }
        break;
      case 'step':
        for (let left = step.times; left > 0; left--) network.step(step.route);
        break;
      case 'cut':
        network.cut('a', 'b', step.keepToB, step.keepToA);
        break;
      case 'heal':
        network.heal('a', 'b');
        break;
      case 'lose':
      case 'repeat':
        network[step.act](step.side, other[step.side]);
        break;
      case 'reconnect': {
        const { channel } = step.side === 'a' ? a : b;
        if (channel.state !== 'waiting') channel.up();
        break;
      }
      case 'wait':
        clock.advance(step.ms);
        break;
      case 'restart':
        network.kill('b');
        lives.push(b.delivered.splice(0));
        sent.b.push([]);
        await b.start(++life);
    }
  }
  network.heal('a', 'b');
  for (let round = 0; round < 4; round++) {
    settle();
    clock.advance(1_000);
  }
  settle();
  lives.push(b.delivered);
  return { network, clock, a, b, sent, lives };
}

const isPrefix = (prefix: readonly string[], of: readonly string[]): boolean =>
  prefix.every((text, index) => text === of[index]);

describe('Channel over an unreliable connection', () => {
  it('delivers everything once and in order in both directions, and is quiet afterwards', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...acts), { maxLength: 60 }), async (plan) => {
        const { network, clock, a, b, sent } = await execute(plan);

        expect([b.delivered, a.delivered]).toEqual([sent.a[0], sent.b[0]]);
        expect([a.channel.unackedFrames, b.channel.unackedBytes]).toEqual([0, 0]);
        expect([a.channel.state, b.channel.state, a.errors, b.errors]).toEqual(['open', 'open', [], []]);
        clock.advance(2_000);
        expect([network.pending, clock.pendingTimers]).toEqual([[], 0]);
      }),
      { numRuns: 1_500 },
    );
  }, 60_000);

  it('never mixes the incarnations of a restarting peer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(...acts, restart), { maxLength: 60 }), async (plan) => {
        const { a, b, sent, lives } = await execute(plan);

        // Each incarnation received a prefix of one session, and the last one received all of it. Some sessions may
        // have reached none.
        let session = 0;
        for (const heard of lives) {
          if (heard.length === 0) continue;
          while (session < sent.a.length && sent.a[session]![0] !== heard[0]) session++;
          expect(isPrefix(heard, sent.a[session] ?? [])).toBe(true);
          session++;
        }
        expect(lives.at(-1)).toEqual(sent.a.at(-1));
        // In the other direction: a prefix of each incarnation, and everything of the last one.
        const last = sent.b.at(-1)!;
        expect(a.delivered.slice(a.delivered.length - last.length)).toEqual(last);
        const heardOf = sent.b.map((life) => a.delivered.filter((text) => life.includes(text)));
        expect(heardOf.flat()).toEqual(a.delivered);
        heardOf.forEach((heard, index) => expect(isPrefix(heard, sent.b[index]!)).toBe(true));
        expect([a.channel.unackedFrames, b.channel.unackedFrames, a.errors, b.errors]).toEqual([0, 0, [], []]);
      }),
      { numRuns: 1_000 },
    );
  }, 60_000);
});
