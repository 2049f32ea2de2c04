import { check } from './option-checks.js';

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
export function resolveLimits(options: KitLimits): Required<KitLimits> {
  check.knownKeys(options, Object.keys(DEFAULT_KIT_LIMITS));
  const { realTimeoutMs, settleTimeoutMs } = options;
  const limits = {
    realTimeoutMs: realTimeoutMs ?? DEFAULT_KIT_LIMITS.realTimeoutMs,
    settleTimeoutMs: settleTimeoutMs ?? DEFAULT_KIT_LIMITS.settleTimeoutMs,
  };
  assertDurationMs(limits.realTimeoutMs, 'realTimeoutMs');
  check.timeout(limits.settleTimeoutMs, 'settleTimeoutMs');
  return limits;
}

/** @throws InvalidTestkitOptionError */
export function assertDurationMs(value: unknown, option: string): asserts value is number {
  check.number(value, option, { least: 0 });
}
