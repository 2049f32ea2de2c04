import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ContenderName } from './contenders.js';
import type { LifeReport, TaskName } from './life.js';

/** Longer than any successful run needs, even on a busy machine. */
const LIFE_MS = 60_000;
/** A peer that takes longer hangs or is too slow for the workload. */
const PEER_LIFE_MS = 15_000;
/** A second of ping-pong takes a second, unless the event loop is blocked. */
const PEER_PING_PONG_MS = 5_000;
/** Node's exit code when nothing is left to wait for and the program has not finished. */
const UNSETTLED = 13;
const file = fileURLToPath(new URL('./life.js', import.meta.url));

/** The report of a run, or its problem. */
export type Outcome = { report: LifeReport; problem?: undefined } | { report?: undefined; problem: string };

function runLife(task: TaskName, contender: ContenderName, timeout: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const args = ['--expose-gc', file, task, contender];
    execFile(process.execPath, args, { timeout, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (!error) resolve({ report: JSON.parse(stdout) as LifeReport });
      else if (error.killed) resolve({ problem: `did not finish within ${timeout / 1_000} s` });
      else if (stderr.includes('Maximum call stack')) resolve({ problem: 'overflows the stack' });
      else if (error.code === UNSETTLED) resolve({ problem: 'stops halfway without an error' });
      else resolve({ problem: `fails: ${/\w*Error: .*/.exec(stderr)?.[0] ?? stderr.slice(-200)}` });
    });
  });
}

export const runPeer = (task: TaskName, peer: ContenderName): Promise<Outcome> =>
  runLife(task, peer, task === 'pingPongGap' ? PEER_PING_PONG_MS : PEER_LIFE_MS);

/** For a run that must succeed. */
export async function mustLive(task: TaskName, contender: ContenderName): Promise<LifeReport['values']> {
  const { report, problem } = await runLife(task, contender, LIFE_MS);
  if (!report) throw new Error(`${task} of ${contender} ${problem}`);
  return report.values;
}
