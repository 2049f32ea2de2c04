import '@roost/shutdown/early';
import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { launchDataflow, span } from '@roost/dataflow';
import { readConfig } from './config.js';
import { graph, NodesModule, placement } from './graph.js';
import { QuietLogger } from './quiet-logger.js';

const config = readConfig();
Logger.overrideLogger(new QuietLogger());

// Every process of the placement runs this script again, up to this call. The coordinator runs here, in the first
// process.
const { stopTag, digest } = await launchDataflow({
  graph,
  placement,
  module: NodesModule,
  timeout: span.seconds(config.seconds),
});

if (stopTag) console.log(`digest ${digest}`);
