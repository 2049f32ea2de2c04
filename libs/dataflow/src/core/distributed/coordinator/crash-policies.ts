import { PlacementError } from '../../errors/placement.error.js';
import { describeEdge } from '../../graph/model.js';
import type { CrashPolicy } from '../../node/declaration.js';
import { isSame, NO_DELAY } from '../../time/tag.js';
import type { CrossEdge, PartitionPlan } from '../plan.js';

/**
 * Returns the crash policy of each process by name. Nodes of one process crash together, so one node with `fail` makes
 * it the policy of the process. The run does not survive the loss of the coordinator.
 *
 * @throws PlacementError
 */
export function crashPolicies(
  processes: readonly string[],
  partitions: readonly PartitionPlan[],
  coordinator: string,
): Map<string, CrashPolicy> {
  return new Map(
    processes.map((process) => {
      const nodes = partitions.filter((one) => one.process === process).flatMap((one) => one.nodes);
      const policies = new Set(nodes.map(({ onCrash }) => onCrash));
      if (process === coordinator || policies.has('fail')) return [process, 'fail'];
      if (policies.size > 1) {
        throw new PlacementError(
          `process "${process}" has nodes with onCrash 'restart' and nodes with 'treatAsDone'. Place them in different processes`,
        );
      }
      return [process, policies.has('restart') ? 'restart' : 'treatAsDone'];
    }),
  );
}

/**
 * Checks that no message is lost when a process is restarted. Other processes resend the messages that they have sent
 * to it, but nothing retains the messages that it has sent to itself.
 *
 * @param edges all edges, including those within a partition
 * @throws PlacementError
 */
export function assertRestartable(policies: ReadonlyMap<string, CrashPolicy>, edges: readonly CrossEdge[]): void {
  const mayRestart = ({ process }: PartitionPlan): boolean => policies.get(process) === 'restart';
  const next = new Map<string, Set<string>>();
  for (const { model, from, to } of edges) {
    if (!mayRestart(to)) continue;
    const where = `${describeEdge(model)} leads into process "${to.process}", whose nodes have onCrash 'restart'`;
    if (model.isPhysical) {
      throw new PlacementError(`${where}. After a restart, messages over a physical connection would be handled twice`);
    }
    if (model.to.inputs[model.input]!.options.retain) {
      throw new PlacementError(`${where}. The retained value of the input would be lost in a crash`);
    }
    if (from.process === to.process && (from !== to || !isSame(model.delay, NO_DELAY))) {
      throw new PlacementError(
        `${where}, and starts in the same process. Messages in flight would be lost in a crash. Place the two nodes in different processes`,
      );
    }
    if (from.process === to.process || !mayRestart(from)) continue;
    next.set(from.process, (next.get(from.process) ?? new Set()).add(to.process));
  }
  for (const process of next.keys()) {
    if (!reachable(process, next).has(process)) continue;
    throw new PlacementError(
      `process "${process}" is on a cycle of processes whose nodes all have onCrash 'restart'. If they crash together, ` +
        'messages on the cycle are lost. Set another onCrash for a node of the cycle',
    );
  }
}

function reachable(from: string, next: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set(next.get(from));
  for (const process of found) for (const further of next.get(process) ?? []) found.add(further);
  return found;
}
