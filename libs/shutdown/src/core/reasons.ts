import { kebabCase, messageOf } from '@roost/kernel';

/**
 * Why the process is going down. Every task gets it. Subclass it for triggers of your own.
 *
 * @example
 * ```ts
 * import { ShutdownReason } from '@roost/shutdown';
 *
 * // Its name is `license-expired`. The process exits with 78 when the shutdown is over.
 * export class LicenseExpiredReason extends ShutdownReason {
 *   override readonly endsProcess = true;
 *   override readonly exitCode = 78;
 * }
 * ```
 *
 * @publicApi
 */
export class ShutdownReason {
  /** The key of `exit.reasons`. */
  readonly name: string;
  /**
   * Whether the process exits when a shutdown that code has begun with this reason is over, unless `exit.process` is false.
   * After a signal or an uncaught error it does so anyway.
   */
  readonly endsProcess: boolean = false;
  /** The exit code of the process, unless `exit.reasons` has another one or the shutdown fails. */
  readonly exitCode: number = 0;

  /**
   * @param name default: the class name in kebab-case without its suffix "Reason" (give it if you minify)
   * @param detail shown in logs and in the report, for example the signal
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

/** A signal such as SIGTERM or SIGINT. @publicApi */
export class ProcessTerminateReason extends ShutdownReason {
  constructor(
    readonly signal: string,
    name = 'process-terminate',
    detail = signal,
  ) {
    super(name, detail);
  }
}

/** Another process has taken over what this one does, as in a rolling restart: nobody has to be turned away. @publicApi */
export class ProcessReplacedReason extends ProcessTerminateReason {
  constructor() {
    super('SIGTERM', 'process-replaced', 'a new process has taken over');
  }
}

/** The process that started this one and looked after it is gone. @publicApi */
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

/** The application failed while it was starting; what was built is torn down. @publicApi */
export class BootstrapFailedReason extends ShutdownReason {
  override readonly exitCode = 1;

  constructor(readonly error: unknown) {
    super('bootstrap-failed', messageOf(error));
  }
}

/** This node leaves the cluster by its own will. @publicApi */
export class ClusterLeavingReason extends ShutdownReason {
  constructor() {
    super('cluster-leaving');
  }
}

/** The cluster has forced this node out. @publicApi */
export class ClusterDowningReason extends ShutdownReason {
  constructor() {
    super('cluster-downing');
  }
}

/** An uncaught exception or unhandled rejection (option `uncaught`). @publicApi */
export class UncaughtErrorReason extends ShutdownReason {
  override readonly exitCode = 1;

  constructor(readonly error: unknown) {
    super('uncaught-error', messageOf(error));
  }
}

/**
 * The process has done its work: it exits when the shutdown is over, as after a signal. For subclasses too, as
 * `class ImportDoneReason extends ProcessDoneReason {}` with the name `import-done`.
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

/** `run()` without a reason. @publicApi */
export class UnknownReason extends ShutdownReason {
  constructor(detail?: string) {
    super('unknown', detail);
  }
}

/** What callers may pass as a reason, made one. Reasons of another installed copy of this package are taken as they are. */
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
