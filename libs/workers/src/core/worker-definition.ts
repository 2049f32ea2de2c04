import { assertFunction, assertWorkerName, check } from './option-checks.js';
import { assertRestartPolicy, type RestartPolicy } from './restart-policy.js';
import type { RunToken } from './run/run-token.js';

/** A background process, for `Workers.add()`. @publicApi */
export interface WorkerDefinition {
  /** Unique name. */
  name: string;
  /** Runs until the process must stop or its work is done. After an error the restart policy decides. */
  handle: (run: RunToken) => unknown;
  /** @default the policy of the engine */
  restart?: RestartPolicy;
  /** Time in ms that a shutdown waits for the process to stop. @default the wait of the engine */
  maxWaitMs?: number;
  /** The class or module that declares it, for error messages. @default 'add()' */
  declaredBy?: string;
}

/** The definition with all defaults applied. */
export type ResolvedWorkerDefinition = Readonly<Required<WorkerDefinition>>;

const KEYS = ['name', 'handle', 'restart', 'maxWaitMs', 'declaredBy'] as const;

/** @throws InvalidWorkerOptionError */
export function resolveWorkerDefinition(
  definition: WorkerDefinition,
  defaults: { readonly restart: RestartPolicy; readonly maxWaitMs: number },
): ResolvedWorkerDefinition {
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
