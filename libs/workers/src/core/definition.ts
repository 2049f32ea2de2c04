import { assertFunction, assertWorkerName, check } from './option-checks.js';
import { assertRestartPolicy, type RestartPolicy } from './restart-policy.js';
import type { RunToken } from './run-token.js';

/** A background process, as the engine is given it. @publicApi */
export interface ProcessDefinition {
  /** Unique. */
  name: string;
  /** Runs until it is told to stop, or until it has nothing left to do. What it throws is for the restart policy. */
  handle: (run: RunToken) => unknown;
  /** @default that of the engine */
  restart?: RestartPolicy;
  /** How long a shutdown waits for it to end. @default that of the engine */
  maxWaitMs?: number;
  /** Who declares it, for error messages. @default 'add()' */
  declaredBy?: string;
}

/** The definition with every default filled in. */
export type ResolvedDefinition = Readonly<Required<ProcessDefinition>>;

const KEYS = ['name', 'handle', 'restart', 'maxWaitMs', 'declaredBy'] as const;

/** @throws InvalidWorkerOptionError */
export function resolveDefinition(
  definition: ProcessDefinition,
  defaults: { readonly restart: RestartPolicy; readonly maxWaitMs: number },
): ResolvedDefinition {
  const { declaredBy = 'add()' } = definition ?? {};
  check.knownKeys(definition, KEYS, declaredBy);
  const { name, handle } = definition;
  const { restart = defaults.restart, maxWaitMs = defaults.maxWaitMs } = definition;
  assertWorkerName(name, `${declaredBy}.name`);
  assertFunction(handle, `${declaredBy}.handle`);
  assertRestartPolicy(restart, `${declaredBy}.restart`);
  check.timeout(maxWaitMs, `${declaredBy}.maxWaitMs`);
  return { name, handle, restart, maxWaitMs, declaredBy };
}
