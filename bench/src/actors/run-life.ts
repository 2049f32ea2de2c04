import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ContenderName } from './contenders.js';
import type { LifeReport, TaskName } from './life.js';

/** More than any that goes well needs, on a busy machine too. */
const LIFE_MS = 60_000;
/** A peer that is not done by then hangs, or is too slow for the workload. */
const PEER_LIFE_MS = 15_000;
/** A second of ping-pong takes a second, unless the event loop gets no turn. */
const PEER_PING_PONG_MS = 5_000;
/** What Node ends with when there is nothing left to wait for and the program is not done. */
const UNSETTLED = 13;
const file = fileURLToPath(new URL('./life.js', import.meta.url));

/** What came of a life, or what went wrong in it. */
export type Outcome = { report: LifeReport; problem?: undefined } | { report?: undefined; problem: string };

function runLife(task: TaskName, contender: ContenderName, timeout: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const args = ['--expose-gc', file, task, contender];
    execFile(process.execPath, args, { timeout, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (!error) resolve({ report: JSON.parse(stdout) as LifeReport });
      else if (error.killed) resolve({ problem: `is not done after ${timeout / 1_000} s` });
      else if (stderr.includes('Maximum call stack')) resolve({ problem: 'overflows the stack' });
      else if (error.code === UNSETTLED) resolve({ problem: 'stops halfway without an error' });
      else resolve({ problem: `fails: ${/\w*Error: .*/.exec(stderr)?.[0] ?? stderr.slice(-200)}` });
    });
  });
}

export const runPeer = (task: TaskName, peer: ContenderName): Promise<Outcome> =>
  runLife(task, peer, task === 'pingPongGap' ? PEER_PING_PONG_MS : PEER_LIFE_MS);

/** For a life that must go well. */
export async function mustLive(task: TaskName, contender: ContenderName): Promise<LifeReport['values']> {
  const { report, problem } = await runLife(task, contender, LIFE_MS);
  if (!report) throw new Error(`${task} of ${contender} ${problem}`);
  return report.values;
}
