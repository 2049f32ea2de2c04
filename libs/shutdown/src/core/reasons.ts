import { kebabCase, messageOf } from '@roost/kernel';

/**
 * Reason of a shutdown, passed to every task. Subclass it for your own triggers.
 *
 * @example
 * ```ts
 * import { ShutdownReason } from '@roost/shutdown';
 *
 * // Its name is `license-expired`. The process exits with 78 after the shutdown.
 * export class LicenseExpiredReason extends ShutdownReason {
 *   override readonly endsProcess = true;
 *   override readonly exitCode = 78;
 * }
 * ```
 *
 * @publicApi
 */
export class ShutdownReason {
  /** Name of the reason, also used as the key in `exit.reasons`. */
  readonly name: string;
  /**
   * Whether the process exits after a shutdown that code started with this reason, unless `exit.process` is false.
   * After a signal or an uncaught error it exits anyway.
   */
  readonly endsProcess: boolean = false;
  /** Exit code of the process, unless `exit.reasons` overrides it or the shutdown fails. */
  readonly exitCode: number = 0;

  /**
   * @param name default: the class name in kebab-case without the suffix "Reason"; pass it if you minify
   * @param detail text for logs and the report, for example the signal
   */
  constructor(
    name?: string,
    readonly detail?: string,
  ) {
    this.name = name ?? (kebabCase(new.target.name.replace(/Reason$/, '')) || 'unknown');
  }

  toString(): string {
    return this.detail ? `${this.name} (${this.detail})` : this.name;
  }
}

/**
 * The process received a signal such as SIGTERM or SIGINT.
 *
 * @example
 * ```ts
 * import { Phase, ProcessTerminateReason, type ShutdownReason, ShutdownTask } from '@roost/shutdown';
 *
 * export class Announcer {
 *   @ShutdownTask(Phase.BeforeServiceUnbind)
 *   announce(reason: ShutdownReason): void {
 *     if (reason instanceof ProcessTerminateReason) console.log(`stopping on ${reason.signal}`);
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export class ProcessTerminateReason extends ShutdownReason {
  constructor(
    readonly signal: string,
    name = 'process-terminate',
    detail = signal,
  ) {
    super(name, detail);
  }
}

/** A new process has taken over, as in a rolling restart, so no request has to be refused. @publicApi */
export class ProcessReplacedReason extends ProcessTerminateReason {
  constructor() {
    super('SIGTERM', 'process-replaced', 'a new process has taken over');
  }
}

/** The process that started and supervised this one is no longer there. @publicApi */
export class ParentGoneReason extends ProcessTerminateReason {
  constructor() {
    super('SIGTERM', 'parent-gone', 'the parent process is no longer there');
  }
}

/** `ActorSystem.terminate()` was called. @publicApi */
export class ActorSystemTerminateReason extends ShutdownReason {
  constructor() {
    super('actor-system-terminate');
  }
}

/** `app.close()` was called. @publicApi */
export class ApplicationCloseReason extends ShutdownReason {
  constructor() {
    super('application-close');
  }
}

/** The application failed during boot. The parts that were already built are torn down. @publicApi */
export class BootstrapFailedReason extends ShutdownReason {
  override readonly exitCode = 1;

  constructor(readonly error: unknown) {
    super('bootstrap-failed', messageOf(error));
  }
}

/** This node leaves the cluster voluntarily. @publicApi */
export class ClusterLeavingReason extends ShutdownReason {
  constructor() {
    super('cluster-leaving');
  }
}

/** The cluster forced this node out. @publicApi */
export class ClusterDowningReason extends ShutdownReason {
  constructor() {
    super('cluster-downing');
  }
}

/** An uncaught exception or unhandled rejection, with the option `uncaught`. @publicApi */
export class UncaughtErrorReason extends ShutdownReason {
  override readonly exitCode = 1;

  constructor(readonly error: unknown) {
    super('uncaught-error', messageOf(error));
  }
}

/**
 * The process has done its work and exits after the shutdown, as it does after a signal. Subclasses do the same:
 * `class ImportDoneReason extends ProcessDoneReason {}` has the name `import-done`.
 *
 * @example
 * ```ts
 * import { CoordinatedShutdown, ProcessDoneReason } from '@roost/shutdown';
 *
 * export async function runOnce(shutdown: CoordinatedShutdown, job: () => Promise<void>): Promise<void> {
 *   await job();
 *   await shutdown.run(new ProcessDoneReason());
 * }
 * ```
 *
 * @publicApi
 */
export class ProcessDoneReason extends ShutdownReason {
  override readonly endsProcess = true;

  constructor(
    override readonly exitCode = 0,
    name?: string,
    detail?: string,
  ) {
    super(name, detail);
  }
}

/** `run()` was called without a reason. @publicApi */
export class UnknownReason extends ShutdownReason {
  constructor(detail?: string) {
    super('unknown', detail);
  }
}

/**
 * Turns any value that a caller passes into a reason. Reasons from another installed copy of this package are kept as
 * they are.
 */
export function toReason(value: unknown): ShutdownReason {
  if (value instanceof ShutdownReason || isReasonLike(value)) return value;
  return new UnknownReason(value === undefined ? undefined : messageOf(value));
}

const isReasonLike = (value: unknown): value is ShutdownReason =>
  typeof value === 'object' &&
  value !== null &&
  !(value instanceof Error) &&
  'name' in value &&
  typeof value.name === 'string';
