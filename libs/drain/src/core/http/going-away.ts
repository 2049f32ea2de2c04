import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The methods of a `ws` connection that the drain uses. */
export interface WebSocketLike {
  close(code: number, reason: string): void;
  terminate(): void;
}

export const GOING_AWAY = 1001;
export const GOING_AWAY_REASON = 'service is stopping';

/** An unmasked close frame with code 1001 and no reason. */
const CLOSE_FRAME = Buffer.from([0x88, 0x02, GOING_AWAY >> 8, GOING_AWAY & 0xff]);
const CLOSE_OPCODE = 0x08;

/** Tells the client of an upgraded connection that the server is going away. */
export function sendGoingAway(socket: Duplex): void {
  const owner = ownerOf(socket);
  if (owner) return owner.close(GOING_AWAY, GOING_AWAY_REASON);
  // Before its handshake completes, a connection does not use frames.
  if (!socket.writable || (socket as Partial<Socket>).bytesWritten === 0) return;
  socket.write(CLOSE_FRAME);
  // The client answers with its own close frame and then waits for the server to end the connection.
  if (socket.listenerCount('data') > 0) {
    socket.on('data', (chunk: Buffer) => {
      if ((chunk[0]! & 0x0f) === CLOSE_OPCODE) socket.end();
    });
  }
}

export function terminate(socket: Duplex): void {
  const owner = ownerOf(socket);
  if (owner) owner.terminate();
  else socket.destroy();
}

/** `ws`, and therefore engine.io, stores its connection object on the socket. */
function ownerOf(socket: Duplex): WebSocketLike | undefined {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'websocket');
  const owner = key && (socket as unknown as Record<symbol, Partial<WebSocketLike> | undefined>)[key];
  const isUsable = typeof owner?.close === 'function' && typeof owner.terminate === 'function';
  return isUsable ? (owner as WebSocketLike) : undefined;
}
