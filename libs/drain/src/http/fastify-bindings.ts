import type { Server } from 'node:http';

/** What we need of a Fastify instance. */
export interface FastifyLike {
  addHook(name: 'onListen', hook: (done: () => void) => void): unknown;
}

/**
 * When Fastify is told to listen on `localhost`, as it is by default, it makes a server for each address of that name,
 * `127.0.0.1` and `::1`. All but the first are known to itself only.
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
