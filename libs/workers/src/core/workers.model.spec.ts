import { deferred, type Deferred } from '@roost/kernel';
import fc from 'fast-check';
import { restartBackoff } from './restart-policy.js';
import type { Lease, RunToken } from './run/run-token.js';
import { outcomeOf, setup, steadyBackoff } from './workers.fixture.js';

/** Events for a set of processes. `who` and `which` choose among the existing ones. */
type Command =
  | { readonly type: 'hold' | 'release' | 'returns' | 'throws'; readonly who: number; readonly which: number }
  | { readonly type: 'oneOff' | 'stop' }
  | { readonly type: 'time'; readonly ms: number };

const index = fc.nat({ max: 20 });
const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    fc.record({ type: fc.constantFrom('hold', 'release', 'returns', 'throws'), who: index, which: index }),
    fc.record({ type: fc.constantFrom('oneOff') }),
    { weight: 1, arbitrary: fc.record({ type: fc.constant('stop') }) },
    fc.record({ type: fc.constant('time'), ms: fc.integer({ min: 0, max: 400 }) }),
  ),
  { maxLength: 40 },
);

/** One run in the model. */
interface ModelRun {
  readonly token: RunToken;
  readonly end: Deferred<void>;
  readonly leases: Lease[];
  isActive: boolean;
  failed: boolean;
}

const isOver = ({ isActive, leases }: ModelRun): boolean => !isActive && leases.length === 0;

describe('Workers with any sequence of events', () => {
  it('finish exactly when everything has ended, and restart nothing after the stop', async () => {
    await fc.assert(
      fc.asyncProperty(commands, fc.integer({ min: 0, max: 3 }), async (sequence, processes) => {
        const { clock, workers, settle } = setup();
        const runs: ModelRun[] = [];
        const handle = (token: RunToken): Promise<void> => {
          const run: ModelRun = { token, end: deferred(), leases: [], isActive: true, failed: false };
          runs.push(run);
          return run.end.promise;
        };
        for (let n = 0; n < processes; n++) {
          const restart = n === 1 ? restartBackoff({ ...steadyBackoff, when: 'always' }) : steadyBackoff;
          workers.add({ name: `p${n}`, handle, restart });
        }
        workers.start();
        let finished: ReturnType<typeof outcomeOf> | undefined;
        let runsAtStop = Infinity;
        let hasLost = false;
        const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)];

        const apply = async (command: Command): Promise<void> => {
          const alive = runs.filter((run) => !isOver(run));
          switch (command.type) {
            case 'oneOff':
              workers.runGracefully(handle, { name: 'one-off' }).catch(() => undefined);
              break;
            case 'hold': {
              const run = pick(alive, command.who);
              run?.leases.push(run.token.hold(`hold ${run.leases.length}`));
              break;
            }
            case 'release': {
              const run = pick(
                alive.filter(({ leases }) => leases.length > 0),
                command.who,
              );
              run?.leases.splice(command.which % run.leases.length, 1)[0]!.release();
              break;
            }
            case 'returns':
            case 'throws': {
              const run = pick(
                alive.filter(({ isActive }) => isActive),
                command.who,
              );
              if (!run) break;
              run.isActive = false;
              run.failed = command.type === 'throws';
              if (run.failed && finished && run.token.name !== 'one-off') hasLost = true;
              if (run.failed) run.end.reject(new Error('x'));
              else run.end.resolve();
              break;
            }
            case 'stop':
              finished ??= outcomeOf(workers.finish(1e9));
              runsAtStop = Math.min(runsAtStop, runs.filter(({ token }) => token.name !== 'one-off').length);
              break;
            case 'time':
              await clock.advanceAsync(command.ms);
          }
          await settle();
        };

        const check = (): void => {
          const alive = runs.filter((run) => !isOver(run));
          const busy = alive.reduce((sum, { isActive, leases }) => sum + (leases.length || (isActive ? 1 : 0)), 0);
          expect(workers.inFlight).toBe(busy);
          for (const run of runs) {
            const isToldToStop = finished !== undefined || (run.failed && run.token.name !== 'one-off');
            expect(run.token.signal.aborted && !isToldToStop).toBe(false);
            if (isOver(run) || isToldToStop) expect(run.token.isRunning()).toBe(false);
            else expect(run.token.isRunning()).toBe(true);
          }
          if (!finished) return;
          const expected = alive.length > 0 ? 'pending' : hasLost ? 'rejected' : 'resolved';
          if (finished.status !== 'pending' || alive.length === 0) expect(finished.status).toBe(expected);
          const ofProcesses = runs.filter(({ token }) => token.name !== 'one-off').length;
          expect(ofProcesses).toBe(runsAtStop);
        };

        for (const command of sequence) {
          // Work that starts after everything has ended would start a wait that no longer exists.
          if (finished && finished.status !== 'pending') break;
          await apply(command);
          check();
        }
        await apply({ type: 'stop' });
        for (const run of runs) {
          for (const lease of run.leases.splice(0)) lease.release();
          if (run.isActive) run.end.resolve();
          run.isActive = false;
        }
        await settle();
        check();
        expect(finished!.status).toBe(hasLost ? 'rejected' : 'resolved');
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 300 },
    );
  }, 60_000);
});
