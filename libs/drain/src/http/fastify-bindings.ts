import type { Server } from 'node:http';

/** The parts of a Fastify instance that the drain uses. */
export interface FastifyLike {
  addHook(name: 'onListen', hook: (done: () => void) => void): unknown;
}

/**
 * Fastify listens on `localhost` by default, and creates one server for each of its addresses, `127.0.0.1` and `::1`.
 * Its instance exposes only the first.
 */
export function onFastifyBindings(fastify: FastifyLike, callback: (server: Server) => void): void {
  fastify.addHook('onListen', (done) => {
    const key = Object.getOwnPropertySymbols(fastify).find(
      ({ description }) => description === 'fastify.serverBindings',
    );
    const bindings = key && (fastify as unknown as Record<symbol, unknown>)[key];
    if (Array.isArray(bindings)) for (const server of bindings as Server[]) callback(server);
    done();
  });
}
