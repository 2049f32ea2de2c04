/** Runs processes of subjects, one after another or concurrently, on orders from `hosts.ts`. */
import { tcp } from '@roost/dataflow/core';
import { nats } from '@roost/dataflow/nats';
import type { FromHost, ToHost } from './hosts.js';
import { processOf } from './placements.js';
import { subjectOf } from './subject.js';

const tell = (message: FromHost): void => void process.send!(message);

async function run({ id, subject, process: name, network, coordinatorAddress, app }: ToHost): Promise<void> {
  try {
    const dataflow = processOf(subjectOf(subject), {
      process: name,
      transport: 'tcp' in network ? tcp() : nats({ port: network.nats }),
      coordinatorAddress,
      app,
      listening: (address) => tell({ id, listening: address }),
    });
    const { error, ...report } = await dataflow.run();
    tell({ id, report, error: error?.message });
  } catch (error) {
    tell({ id, error: String(error) });
  }
}

process.on('message', (message: ToHost) => void run(message));
// The parent has exited.
process.on('disconnect', () => process.exit());
