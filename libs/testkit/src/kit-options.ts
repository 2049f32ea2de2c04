import { check } from './option-checks.js';

/** Real-time limits of a kit. @publicApi */
export interface KitLimits {
  /**
   * How long an unmet expectation waits for unsettled handlers and `pipeToSelf` promises, in ms of real time. If there
   * are none, it fails at once. 0 disables the wait. @default 1_000
   */
  realTimeoutMs?: number;
  /** How long actors may keep handling messages before `settle()` fails, in ms of real time. @default 4_000 */
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
