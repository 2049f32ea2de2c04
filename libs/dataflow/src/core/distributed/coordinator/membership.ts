import type { Timer } from '@roost/time';
import type { CrashPolicy } from '../../node/declaration.js';
import type { PartitionPlan, ProcessPlan } from '../plan.js';

/** A process of the run as the coordinator sees it. */
export interface RunMember {
  readonly name: string;
  readonly partitions: readonly PartitionPlan[];
  readonly policy: CrashPolicy;
  /**
   * - `expected`: it has not joined yet, or not since its restart;
   * - `joined`: it takes part in the run;
   * - `lost`: it is unreachable. It may return with its memory, or restarted;
   * - `removed`: the run continues without it.
   */
  state: 'expected' | 'joined' | 'lost' | 'removed';
  address: string;
  /** Number of restarts. */
  restarts: number;
  /** Time limit for its restart. */
  timer: Timer | undefined;
}

/** The processes of a run. */
export class Membership {
  readonly #members: ReadonlyMap<string, RunMember>;

  constructor({ processes, partitions, policies }: ProcessPlan) {
    this.#members = new Map(
      processes.map((name): [string, RunMember] => [
        name,
        {
          name,
          partitions: partitions.filter(({ process }) => process === name),
          policy: policies.get(name)!,
          state: 'expected',
          address: '',
          restarts: 0,
          timer: undefined,
        },
      ]),
    );
  }

  get(name: string): RunMember | undefined {
    return this.#members.get(name);
  }

  get all(): readonly RunMember[] {
    return [...this.#members.values()];
  }

  in(...states: RunMember['state'][]): RunMember[] {
    return this.all.filter(({ state }) => states.includes(state));
  }

  get addresses(): Record<string, string> {
    return Object.fromEntries(this.all.map(({ name, address }) => [name, address]));
  }
}

export const nodesOf = (partitions: readonly PartitionPlan[]): string[] =>
  partitions.flatMap(({ nodes }) => nodes.map(({ name }) => name));
