import { assertFunction, assertWorkerName, check } from './option-checks.js';
import { assertRestartPolicy, type RestartPolicy } from './restart-policy.js';
import type { RunToken } from './run/run-token.js';

/** A background process, for `Workers.add()`. @publicApi */
export interface WorkerDefinition {
  /** Unique. */
  name: string;
  /** Runs until it is told to stop, or until its work is done. The restart policy decides what follows an error. */
  handle: (run: RunToken) => unknown;
  /** @default that of the engine */
  restart?: RestartPolicy;
  /** How long a shutdown waits for it to end. @default that of the engine */
  maxWaitMs?: number;
  /** The class or module that declares it, for error messages. @default 'add()' */
  declaredBy?: string;
}

/** The definition with every default filled in. */
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
