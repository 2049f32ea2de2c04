import { createHash } from 'node:crypto';
import type { DataflowError } from '../errors/dataflow.error.js';
import type { NodeReport } from '../report.js';

/** Returns one digest for all nodes, regardless of the order in which they are reported. */
export function graphDigest(nodes: Readonly<Record<string, NodeReport>>): string {
  const hash = createHash('sha256');
  for (const name of Object.keys(nodes).sort()) hash.update(`${name} ${nodes[name]!.digest}\n`);
  return hash.digest('hex').slice(0, 16);
}

/** Returns the exit code for an error that stops a graph by force. */
export function exitCodeOf(isForced: boolean, error: DataflowError | undefined): number {
  if (!isForced) return 0;
  const code = (error as { exitCode?: unknown } | undefined)?.exitCode;
  return Number.isInteger(code) && (code as number) > 0 && (code as number) < 256 ? (code as number) : 1;
}
