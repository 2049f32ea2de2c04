import type { DataflowOptions } from '@roost/dataflow/core';
import { Random } from '../soak/random.js';
import { diamond } from './diamond.js';
import { PROGRAMS } from './programs/index.js';
import { placeGraph, planGraph } from './random-graph.js';
import { graphOf, type Wait } from './random-nodes.js';

/** A graph to run in several placements. */
export interface Subject {
  readonly graph: DataflowOptions['graph'];
  readonly options: Pick<DataflowOptions, 'fast' | 'timeout'>;
  /** Nodes by process. */
  readonly processes: Readonly<Record<string, readonly string[]>>;
  /** Name of the process with the coordinator. @default a separate process */
  readonly coordinator?: string;
}

/** Identifies a subject in another process. */
export type SubjectName =
  | { readonly program: string }
  | { readonly graph: number; readonly interleaving: number }
  | { readonly diamond: number };

/** Number of processes of a random graph. */
const PROCESSES = 3;

export function subjectOf(name: SubjectName): Subject {
  if ('diamond' in name) return diamond(name.diamond);
  if ('graph' in name) return randomSubject(name.graph, name.interleaving);
  const program = PROGRAMS.find((one) => one.name === name.program);
  if (!program) throw new Error(`unknown program ${name.program}`);
  return program;
}

export function randomSubject(seed: number, interleaving: number): Subject {
  const plan = planGraph(seed);
  const processes = placeGraph(plan, PROCESSES);
  const [first] = Object.keys(processes);
  return {
    graph: graphOf(plan, waits(interleaving)),
    options: { fast: true, timeout: plan.timeout },
    processes,
    ...(seed % 3 === 0 && { coordinator: first }),
  };
}

/** Makes reactions wait at random. */
function waits(seed: number): Wait {
  const random = new Random(seed);
  const wait = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) {
      if (random.chance(0.5)) await new Promise((resolve) => setImmediate(resolve));
      else await Promise.resolve();
    }
  };
  return () => (random.chance(0.3) ? wait(random.between(0, 4)) : undefined);
}
