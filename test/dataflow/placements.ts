import { Dataflow, type DataflowReport, placeInProcess, type ProcessOptions, tcp } from '@roost/dataflow/core';
import { MemoryNetwork } from '@roost/dataflow/testing';
import { Random } from '../soak/random.js';
import type { Subject } from './subject.js';

/** Creates a process of a subject, in this OS process or in another one. */
export const processOf = (
  { graph, options, processes, coordinator }: Subject,
  own: Pick<ProcessOptions, 'process' | 'transport' | 'coordinatorAddress' | 'listening' | 'window'> & { app?: string },
): Dataflow => {
  const { app, ...rest } = own;
  const placement = { processes, ...(coordinator && { coordinator }), ...(app && { app }) };
  const all: ProcessOptions = { graph, ...options, placement, ...rest };
  return new Dataflow(all, undefined, placeInProcess(all));
};

/** Time limit in ms, far above the expected duration. */
const DEADLINE_MS = 60_000;

/** Name of the process with the coordinator. */
export const coordinatorOf = ({ coordinator = 'coordinator' }: Subject): string => coordinator;

/** Names of all processes, with the coordinator's first. */
export const namesOf = (subject: Subject): string[] => [
  ...new Set([coordinatorOf(subject), ...Object.keys(subject.processes)]),
];

export const runEmbedded = ({ graph, options }: Subject): Promise<DataflowReport> =>
  new Dataflow({ graph, ...options }).run();

/** Runs all processes in this OS process, over a network that delivers immediately. */
export async function runInMemory(subject: Subject): Promise<DataflowReport> {
  const transport = new MemoryNetwork();
  const flows = namesOf(subject).map((process) => processOf(subject, { process, transport }));
  return agreed(await Promise.all(flows.map((flow) => flow.run())));
}

/**
 * Runs all processes in this OS process, over a network that delivers in an order determined by the seed, delays frames
 * for long, and is sometimes cut and loses frames in flight.
 */
export async function runInBadWeather(subject: Subject, seed: number): Promise<DataflowReport> {
  const random = new Random(seed);
  const network = new MemoryNetwork({ manual: true });
  const names = namesOf(subject);
  // A small window makes senders wait for receivers.
  const window = random.pick([4, 16, 1024]);
  const flows = names.map((process) => processOf(subject, { process, transport: network, window }));
  let isOver = false;
  const run = Promise.all(flows.map((flow) => flow.run())).finally(() => (isOver = true));
  const deadline = performance.now() + DEADLINE_MS;
  while (!isOver) {
    if (performance.now() > deadline) throw new Error(`did not end within ${DEADLINE_MS} ms`);
    await new Promise((resolve) => setImmediate(resolve));
    for (let steps = random.between(0, 20); steps > 0; steps--) {
      const { length } = network.pending;
      if (length === 0) break;
      network.step(random.between(0, length - 1));
      if (random.chance(0.2)) await Promise.resolve();
    }
    if (random.chance(0.01)) {
      const [a, b] = [random.pick(names), random.pick(names)];
      if (a === b) continue;
      network.cut(a, b, random.between(0, 3), random.between(0, 3));
      network.heal(a, b);
    }
  }
  return agreed(await run);
}

/** Runs all processes in this OS process, over sockets. */
export async function runOverTcp(subject: Subject): Promise<DataflowReport> {
  const [first, ...others] = namesOf(subject);
  let coordinator: Promise<DataflowReport> | undefined;
  const coordinatorAddress = await new Promise<string>((listening) => {
    coordinator = processOf(subject, { process: first!, transport: tcp(), listening }).run();
  });
  const runs = others.map((process) => processOf(subject, { process, transport: tcp(), coordinatorAddress }).run());
  return agreed(await Promise.all([coordinator!, ...runs]));
}

/** Checks that all processes of a run have the same report. @throws Error */
export function agreed(reports: readonly DataflowReport[]): DataflowReport {
  const stories = new Set(
    reports.map(({ status, stopTag, digest, nodes }) => JSON.stringify({ status, stopTag, digest, nodes })),
  );
  const failed = reports.find(({ error }) => error !== undefined);
  if (stories.size > 1 && !failed) throw new Error(`the processes disagree: ${[...stories].join(' and ')}`);
  return failed ?? reports[0]!;
}
