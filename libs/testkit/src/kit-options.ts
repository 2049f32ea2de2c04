import { assertTimeoutMs } from '@roost/time';
import { InvalidTestkitOptionError } from './errors/invalid-testkit-option.error.js';

/** How long a kit waits in real time. @publicApi */
export interface KitLimits {
  /**
   * How long an expectation that is not met waits, in real time, for handlers and `pipeToSelf` promises that have not
   * settled. Without any it fails at once. 0 never waits. @default 1_000
   */
  realTimeoutMs?: number;
  /** How long actors may go on handling messages, in real time, before `settle()` takes them for endless. @default 4_000 */
  settleTimeoutMs?: number;
}

/** The documented defaults. @publicApi */
export const DEFAULT_KIT_LIMITS = {
  realTimeoutMs: 1_000,
  settleTimeoutMs: 4_000,
} as const satisfies Required<KitLimits>;

/** @throws InvalidTestkitOptionError */
export function resolveLimits({ realTimeoutMs, settleTimeoutMs }: KitLimits): Required<KitLimits> {
  const limits = {
    realTimeoutMs: realTimeoutMs ?? DEFAULT_KIT_LIMITS.realTimeoutMs,
    settleTimeoutMs: settleTimeoutMs ?? DEFAULT_KIT_LIMITS.settleTimeoutMs,
  };
  assertDurationMs(limits.realTimeoutMs, 'realTimeoutMs');
  try {
    assertTimeoutMs(limits.settleTimeoutMs, 'settleTimeoutMs');
  } catch {
    throw new InvalidTestkitOptionError('settleTimeoutMs', settleTimeoutMs, 'a number of milliseconds > 0 and < 2^31');
  }
  return limits;
}

/** @throws InvalidTestkitOptionError */
export function assertDurationMs(value: unknown, option: string): asserts value is number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return;
  throw new InvalidTestkitOptionError(option, value, 'a number of milliseconds >= 0');
}
