/** Messages between a launcher and the processes that it has started. */
export const WORD = {
  /** From a process: it shuts down in order, because the run has ended or a stop was requested. */
  leaving: 'roost:dataflow:leaving',
  /** From the launcher: the run has ended. A process that has not joined by now cannot join any longer. */
  over: 'roost:dataflow:over',
} as const;

export interface LifelineOptions {
  /** Called when the launcher reports that the run has ended. */
  over(): void;
  /** Called when the launcher has exited without reporting the end of the run. */
  cut(): void;
}

/** The part of `process` that is needed. */
export type LaunchedProcess = Pick<NodeJS.Process, 'send' | 'connected' | 'channel'> & {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
};

/**
 * The launched process's side of the channel to its launcher. It does not keep the process alive. It calls at most one
 * of the two callbacks, once. In a process that was not launched, it does nothing.
 */
export class Lifeline {
  #isLetGo = false;

  constructor(
    options: LifelineOptions,
    private readonly proc: LaunchedProcess = process,
  ) {
    proc.on('message', (word) => {
      if (word === WORD.over) this.#letGo(() => options.over());
    });
    proc.on('disconnect', () => this.#letGo(() => options.cut()));
    proc.channel?.unref();
    // The channel was closed before the listener was added.
    if (proc.connected === false) this.#letGo(() => options.cut());
  }

  /** Reports that this process shuts down in order. */
  leave(): void {
    // The launcher may exit at any moment, so errors are ignored.
    if (this.proc.connected) this.proc.send?.(WORD.leaving, undefined, undefined, () => undefined);
  }

  #letGo(tell: () => void): void {
    if (this.#isLetGo) return;
    this.#isLetGo = true;
    tell();
  }
}
