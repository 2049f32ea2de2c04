/** Here is only the order; what is measured, how and against what bar is in dataflow/. */
import { measureEmbedded } from './dataflow/embedded.js';
import { measureProcesses } from './dataflow/processes.js';
import { runBench } from './harness.js';

await runBench(async (report) => {
  await measureEmbedded(report);
  await measureProcesses(report);
});
