import { RecordingLogger } from '@roost/kernel/testing';
import { ManualClock } from '@roost/time/testing';
import type { ChildReport, StopKind } from '../child/protocol.js';
import { restartBackoff } from '../restart-policy.js';
import { outcomeOf } from '../workers.fixture.js';
import type { ChildHandle, ChildListeners } from './child-handle.js';
import type { ChildSpec } from './child-options.js';
import { ChildSlots } from './child-slots.js';
import type { ResolvedFleetOptions } from './fleet-options.js';

export const BOOT_TIMEOUT_MS = 5_000;
export const MAX_WAIT_MS = 2_000;
/** Delays of 100, 200 and 400 ms. The next failure is final. */
export const RESTART = restartBackoff({
  when: 'always',
  minMs: 100,
  maxMs: 400,
  jitter: 0,
  maxRestarts: 3,
  resetAfterMs: 60_000,
});

/** A child controlled by the test. */
export class FakeChild implements ChildHandle {
  readonly title: string;
  readonly stops: StopKind[] = [];
  kills = 0;
  hasEnded = false;
  /** The report it sends. */
  answer: ChildReport | undefined = { isManaged: true };

  constructor(
    readonly pid: number,
    readonly name: string,
    private readonly listeners: ChildListeners,
  ) {
    this.title = `pid ${pid}`;
  }

  stop(kind: StopKind): void {
    this.stops.push(kind);
  }

  kill(): void {
    this.kills++;
  }

  async report(): Promise<ChildReport | undefined> {
    return this.answer;
  }

  ready(): void {
    this.listeners.onReady();
  }

  /** @param how its exit code, or the signal that ended it */
  exit(how: number | string = 0, lastOutput?: string): void {
    this.hasEnded = true;
    const end = typeof how === 'number' ? { code: how, signal: null } : { code: null, signal: how };
    this.listeners.onEnded({ ...end, ...(lastOutput !== undefined && { lastOutput }) });
  }
}

/** Starts fake children with the pids 1, 2, 3, ... and records them. */
export class FakeChildren {
  readonly all: FakeChild[] = [];
  /** If set, thrown instead of starting a child. */
  refusal: Error | undefined;

  readonly start = (spec: ChildSpec, instance: number, listeners: ChildListeners): FakeChild => {
    if (this.refusal) throw this.refusal;
    const child = new FakeChild(this.all.length + 1, `${spec.name}#${instance}`, listeners);
    this.all.push(child);
    return child;
  };

  get alive(): FakeChild[] {
    return this.all.filter(({ hasEnded }) => !hasEnded);
  }

  get last(): FakeChild {
    return this.all.at(-1)!;
  }
}

export const specOf = (part: Partial<ChildSpec> = {}): ChildSpec => ({
  kind: 'process',
  name: 'web',
  file: '/web.js',
  args: [],
  count: 1,
  env: {},
  restart: RESTART,
  maxWaitMs: MAX_WAIT_MS,
  ...part,
});

export const TWO_AND_ONE = [{ count: 2 }, { name: 'jobs', kind: 'thread' as const }];

/** Slots with fake children. `happened` lists the calls to their listeners. */
export function testSlots(specs: readonly Partial<ChildSpec>[] = [{}], options: Partial<ResolvedFleetOptions> = {}) {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const children = new FakeChildren();
  const happened: string[] = [];
  const slots = new ChildSlots(
    {
      specs: specs.map(specOf),
      timeoutMs: 30_000,
      bootTimeoutMs: BOOT_TIMEOUT_MS,
      statusSocket: undefined,
      prefixLogs: true,
      logger,
      clock,
      ...options,
    },
    children.start,
    {
      onUp: () => happened.push('up'),
      onFailed: (why) => happened.push(`failed: ${why}`),
      onDone: () => happened.push('done'),
    },
  );
  /** Lets promises settle. */
  const settle = () => clock.advanceAsync(0);
  /** Reports all children as up. */
  const boot = async () => {
    slots.start();
    for (const child of children.all) child.ready();
    await settle();
    logger.lines.length = 0;
  };
  return { clock, logger, children, slots, slot: slots.all[0]!, happened, settle, boot };
}

/** A slot whose first child is up and is being replaced. */
export const replacing = async (...args: Parameters<typeof testSlots>) => {
  const set = testSlots(...args);
  await set.boot();
  const replaced = outcomeOf(set.slot.replace());
  const [old, successor] = set.children.all;
  return { ...set, replaced, old: old!, successor: successor! };
};
