/** What a launcher and a process that it has started say to each other. */
export const WORD = {
  /** The process is going down in order: the run is over, or somebody has told it to. */
  leaving: 'roost:dataflow:leaving',
  /** The run is over, and who has not heard of it by now will not. */
  over: 'roost:dataflow:over',
} as const;

export interface LifelineOptions {
  /** The launcher says that there is nothing left to do. */
  over(): void;
  /** The launcher is gone, and has said nothing. */
  cut(): void;
}

/** What is needed of `process`. */
export type LaunchedProcess = Pick<NodeJS.Process, 'send' | 'connected' | 'channel'> & {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
};

/**
 * The side of a launched process. It keeps nobody alive, and tells at most one of both, once. Where nobody has launched it,
 * nothing happens.
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
    // Before anybody has listened.
    if (proc.connected === false) this.#letGo(() => options.cut());
  }

  /** This process goes down in order. */
  leave(): void {
    // The launcher may be gone in this very moment.
    if (this.proc.connected) this.proc.send?.(WORD.leaving, undefined, undefined, () => undefined);
  }

  #letGo(tell: () => void): void {
    if (this.#isLetGo) return;
    this.#isLetGo = true;
    tell();
  }
}
