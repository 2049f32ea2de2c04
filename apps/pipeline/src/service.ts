import '@roost/shutdown/early';
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Dataflow, dataflowMicroservice, DataflowModule, span } from '@roost/dataflow';
import { DataflowHealthIndicator } from '@roost/dataflow/terminus';
import { HealthModule } from '@roost/health';
import { CoordinatedShutdownModule, enableCoordinatedShutdown } from '@roost/shutdown';
import { patientNats } from './broker.js';
import { readServiceConfig } from './config.js';
import { graph, NodesModule, placement } from './graph.js';
import { QuietLogger } from './quiet-logger.js';

/** Time to wait for the broker, and then for the other services. */
const PATIENCE_MS = 60_000;

const config = readServiceConfig();
const isCoordinator = config.process === placement.coordinator;
const options = {
  graph,
  placement,
  timeout: span.seconds(config.seconds),
  transport: patientNats(config.natsUrl, PATIENCE_MS),
  joinTimeoutMs: PATIENCE_MS,
};

@Module({
  imports: [
    CoordinatedShutdownModule.forRoot(),
    HealthModule.forRoot({
      port: config.probePort,
      host: config.probeHost,
      indicators: { ready: [DataflowHealthIndicator] },
    }),
    ...(isCoordinator
      ? [DataflowModule.forCoordinator(options)]
      : [DataflowModule.forNode({ ...options, process: config.process }), NodesModule]),
  ],
})
class ServiceModule {}

const app = await NestFactory.createMicroservice(ServiceModule, {
  ...dataflowMicroservice(),
  logger: new QuietLogger({ prefix: config.process }),
});
enableCoordinatedShutdown(app);
await app.listen();

const { stopTag, digest } = await app.get(Dataflow).ended;
if (isCoordinator && stopTag) console.log(`digest ${digest}`);
