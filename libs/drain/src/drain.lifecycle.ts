import { type HttpServer, Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { override } from '@roost/kernel';
import { CoordinatedShutdown } from '@roost/shutdown';
import { first } from 'rxjs';
import { Drain } from './core/index.js';
import { isServer } from './core/http/server.js';
import { registerDrainTasks } from './core/shutdown-tasks.js';
import { WebSocketTarget } from './core/web-sockets/web-socket-target.js';
import { DrainShutdownMissingError } from './errors/drain-shutdown-missing.error.js';
import { exemptMarkedRoutes } from './http/exempt-routes.js';
import { type FastifyLike, onFastifyBindings } from './http/fastify-bindings.js';
import { GRPC, isCountable, type RpcServer } from './rpc/rpc-server.js';
import { RpcTarget } from './rpc/rpc-target.js';
import { onGatewayServers } from './web-sockets/gateways.js';

/** Finds everything in the application that takes work, and has it drained. */
@Injectable()
export class DrainLifecycle implements OnModuleInit {
  constructor(
    private readonly drain: Drain,
    private readonly discovery: DiscoveryService,
    private readonly adapterHost: HttpAdapterHost,
    modules: ModulesContainer,
    @Optional() shutdown?: CoordinatedShutdown,
  ) {
    if (!shutdown) throw new DrainShutdownMissingError();
    registerDrainTasks(shutdown, drain);
    // A testing module makes its providers first, and is given an adapter later.
    adapterHost.init$.subscribe(() => this.#adapter && this.#watchAdapter(this.#adapter));
    const transports$ = modules.getRpcTargetRegistry<RpcServer>();
    transports$.subscribe((server) => this.#addTransport(server));
    // A microservice without HTTP connects its gateways after it has made its transport.
    transports$.pipe(first()).subscribe(() => this.#adapter ?? this.#watchGateways());
  }

  onModuleInit(): void {
    const server: unknown = this.#adapter?.getHttpServer();
    if (isServer(server)) this.drain.attach(server);
  }

  get #adapter(): HttpServer | undefined {
    return this.adapterHost.httpAdapter as HttpServer | undefined;
  }

  #watchAdapter(adapter: HttpServer): void {
    exemptMarkedRoutes(adapter, this.drain);
    if (adapter.getType() === 'fastify') {
      onFastifyBindings(adapter.getInstance() as FastifyLike, (server) => this.drain.attach(server));
    }
    // Nest calls it between the creation of the providers and the connection of the gateways.
    const watched = (init: () => Promise<void>) => async (): Promise<void> => {
      await init.call(adapter);
      this.#watchGateways();
    };
    override(adapter, 'init', 'DrainModule', watched, { fallback: () => Promise.resolve() });
  }

  #watchGateways(): void {
    onGatewayServers(this.discovery, (server) => this.#addGatewayServer(server));
  }

  #addGatewayServer(server: object): void {
    // One on a port of its own has an HTTP server of its own.
    const { httpServer, _server } = server as { httpServer?: unknown; _server?: unknown };
    for (const http of [httpServer, _server]) if (isServer(http)) this.drain.attach(http);
    this.drain.addTarget(new WebSocketTarget(server, this.drain.options));
  }

  #addTransport(server: RpcServer): void {
    // gRPC ends its calls by itself: `gracefulShutdown` of its options.
    if (server.transportId === GRPC) return;
    if (isCountable(server)) {
      this.drain.addTarget(new RpcTarget(server, this.drain.options, this.drain.meter));
      return;
    }
    this.drain.options.logger.warn(
      `the transport ${server.constructor.name} does not extend Server of @nestjs/microservices: its handlers in flight ` +
        'cannot be counted, so nobody waits for them.',
    );
  }
}
