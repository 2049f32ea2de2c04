import type { Timer } from '@roost/time';
import type { CrashPolicy } from '../../node/declaration.js';
import type { PartitionPlan, ProcessPlan } from '../plan.js';

/** A process of the run, as the coordinator sees it. */
export interface Member {
  readonly name: string;
  readonly partitions: readonly PartitionPlan[];
  readonly policy: CrashPolicy;
  /**
   * - `expected`: it has not said hello, or not since it was restarted;
   * - `lost`: it is out of reach. It may come back as it was, or restarted;
   * - `gone`: the others go on without it.
   */
  state: 'expected' | 'joined' | 'lost' | 'gone';
  address: string;
  /** How often it was restarted. */
  restarts: number;
  /** Runs while it is waited for. */
  timer: Timer | undefined;
}

/** Who takes part in a run. */
export class Membership {
  readonly #members: ReadonlyMap<string, Member>;

  constructor({ processes, partitions, policies }: ProcessPlan) {
    this.#members = new Map(
      processes.map((name): [string, Member] => [
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

  get(name: string): Member | undefined {
    return this.#members.get(name);
  }

  get all(): readonly Member[] {
    return [...this.#members.values()];
  }

  in(...states: Member['state'][]): Member[] {
    return this.all.filter(({ state }) => states.includes(state));
  }

  get addresses(): Record<string, string> {
    return Object.fromEntries(this.all.map(({ name, address }) => [name, address]));
  }
}

export const nodesOf = (partitions: readonly PartitionPlan[]): string[] =>
  partitions.flatMap(({ nodes }) => nodes.map(({ name }) => name));
