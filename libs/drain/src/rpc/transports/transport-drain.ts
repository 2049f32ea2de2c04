/** The way in which one kind of transport stops taking messages, and sends its last replies. */
export interface TransportDrain {
  /** Whether messages may still come after `stop`. Handlers that begin then are not waited for. */
  readonly keepsComing: boolean;
  /** The other end. A broker has a moment to confirm; callers read their replies at their own speed. */
  readonly peer: 'broker' | 'callers';
  /** Called once. Resolves when the transport takes no more messages, as far as it can. */
  stop(): Promise<unknown>;
  /** Resolves when the replies have been sent. */
  flush(): Promise<unknown>;
  /** Names of the callers whose replies have not been sent completely. */
  unsent(): string[];
}

/** For any other transport: it takes messages until Nest closes it. Those from before the drain are waited for. */
export const unknownTransport: TransportDrain = {
  keepsComing: true,
  peer: 'broker',
  stop: () => Promise.resolve(),
  flush: () => Promise.resolve(),
  unsent: () => [],
};
