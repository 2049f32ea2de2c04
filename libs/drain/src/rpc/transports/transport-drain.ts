/** How one kind of transport stops accepting messages and sends its last replies. */
export interface TransportDrain {
  /** Whether messages may still arrive after `stop`. The drain does not wait for their handlers. */
  readonly keepsComing: boolean;
  /**
   * The other end of the transport. A broker gets a moment to confirm; callers read their replies at their own pace.
   */
  readonly peer: 'broker' | 'callers';
  /** Called once. Resolves when the transport accepts no more messages, as far as the transport allows that. */
  stop(): Promise<unknown>;
  /** Resolves when the replies have been sent. */
  flush(): Promise<unknown>;
  /** Names of callers whose replies have not been sent completely. */
  unsent(): string[];
}

/**
 * Any other transport: it accepts messages until Nest closes it. The drain waits for messages that arrived before the
 * drain.
 */
export const unknownTransport: TransportDrain = {
  keepsComing: true,
  peer: 'broker',
  stop: () => Promise.resolve(),
  flush: () => Promise.resolve(),
  unsent: () => [],
};
