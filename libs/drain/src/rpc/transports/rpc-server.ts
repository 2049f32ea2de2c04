/** Values of `Transport` in @nestjs/microservices, which the application may not have installed. */
export const TCP = 0;
export const REDIS = 1;
export const NATS = 2;
export const GRPC = 4;

type Done = () => Promise<unknown>;
export type StartHook = (transportId: unknown, context: unknown, done: Done) => unknown;
export type EndHook = (transportId: unknown, context: unknown) => void;
type Respond = (packet: { isDisposed?: boolean }) => unknown;
export type Handler = ((...args: unknown[]) => unknown) & { isEventHandler?: boolean };

/**
 * The parts of a Nest transport server that the drain uses. A transport that does not extend Nest's `Server` may lack
 * any of them.
 */
export interface RpcServer {
  readonly transportId?: unknown;
  readonly options?: unknown;
  onProcessingStartHook?: StartHook;
  onProcessingEndHook?: EndHook;
  setOnProcessingStartHook?(hook: StartHook): void;
  setOnProcessingEndHook?(hook: EndHook): void;
  getHandlerByPattern?(pattern: string): Handler | null;
  send?(stream$: unknown, respond: Respond): unknown;
  /** Returns the client or server of the transport's library. Throws before the transport listens. */
  unwrap?(): unknown;
  close?(): unknown;
}

/** A server with the hooks that Nest calls around every handler, that is, a subclass of Nest's `Server`. */
export type CountableServer = RpcServer &
  Required<Pick<RpcServer, 'setOnProcessingStartHook' | 'setOnProcessingEndHook'>>;

export const isCountable = (server: RpcServer): server is CountableServer =>
  typeof server.setOnProcessingStartHook === 'function' && typeof server.setOnProcessingEndHook === 'function';

/** Returns the client or server of the transport's library, or undefined when the transport never listened. */
export function clientOf(server: RpcServer): unknown {
  try {
    return server.unwrap?.();
  } catch {
    return undefined;
  }
}
