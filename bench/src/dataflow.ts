/** Defines the order. The measurements and their bars are in dataflow/. */
import { measureEmbedded } from './dataflow/embedded.js';
import { measureProcesses } from './dataflow/processes.js';
import { runBench } from './harness.js';

await runBench(async (report) => {
  await measureEmbedded(report);
  await measureProcesses(report);
});
