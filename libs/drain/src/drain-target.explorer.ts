import { type HttpServer, Injectable } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { override } from '@roost/kernel';
import { first } from 'rxjs';
import { Drain } from './core/index.js';
import { isServer } from './core/http/server.js';
import { WebSocketTarget } from './core/web-sockets/web-socket-target.js';
import { exemptMarkedRoutes } from './http/exempt-routes.js';
import { type FastifyLike, onFastifyBindings } from './http/fastify-bindings.js';
import { GRPC, isCountable, type RpcServer } from './rpc/transports/rpc-server.js';
import { RpcTarget } from './rpc/rpc-target.js';
import { onGatewayServers } from './web-sockets/gateways.js';

/** Finds all parts of the application that accept work from outside, and adds them to the drain. */
@Injectable()
export class DrainTargetExplorer {
  constructor(
    private readonly drain: Drain,
    private readonly discovery: DiscoveryService,
    private readonly adapterHost: HttpAdapterHost,
    private readonly modules: ModulesContainer,
  ) {}

  /** Watches for routes, gateways and transports that Nest creates. Call it once, before Nest creates any. */
  watch(): void {
    // In a testing module the adapter is created after the providers.
    this.adapterHost.init$.subscribe(() => this.#adapter && this.#watchAdapter(this.#adapter));
    const transports$ = this.modules.getRpcTargetRegistry<RpcServer>();
    transports$.subscribe((server) => this.#addTransport(server));
    // A microservice without HTTP connects its gateways after it has created its transport.
    transports$.pipe(first()).subscribe(() => this.#adapter ?? this.#watchGateways());
  }

  /** Call it after Nest has created its HTTP server. */
  attachHttpServer(): void {
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
    // Nest calls init() after it has created the providers and before it connects the gateways.
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
    // A gateway on its own port has its own HTTP server.
    const { httpServer, _server } = server as { httpServer?: unknown; _server?: unknown };
    for (const http of [httpServer, _server]) if (isServer(http)) this.drain.attach(http);
    this.drain.addTarget(new WebSocketTarget(server, this.drain.options));
  }

  #addTransport(server: RpcServer): void {
    // gRPC calls are not counted. Nest's own `gracefulShutdown` option can wait for them.
    if (server.transportId === GRPC) return;
    if (isCountable(server)) {
      this.drain.addTarget(new RpcTarget(server, this.drain.options, this.drain.meter));
      return;
    }
    this.drain.options.logger.warn(
      `the transport ${server.constructor.name} does not extend Server from @nestjs/microservices, so its ` +
        'in-flight handlers cannot be counted and the drain does not wait for them.',
    );
  }
}
