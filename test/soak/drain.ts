/** Restarts an application under load. No restart may lose a request: `node .tsout/test/soak/drain.js 200`. */
import { setTimeout as after } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { hammer, Tally } from '../e2e/drain/load.js';
import { Subject } from '../e2e/drain/subject.js';
import type { Variant } from '../e2e/drain/variants.js';

export interface SoakOptions {
  readonly restarts: number;
  readonly adapter: Variant['adapter'];
  /** Called after each restart, with its problems. */
  onRestart?(tally: Tally, problems: readonly string[]): void;
}

export interface SoakResult {
  restarts: number;
  served: number;
  refused: number;
  /** All problems, one per line. Empty when no request was lost. */
  problems: string[];
}

const KEPT_ALIVE = 16;
const FRESH = 4;

const between = (least: number, most: number): number => Math.round(least + Math.random() * (most - least));
/** Some clients reconnect immediately and some later, even at the moment when the listener closes. */
const pause = (): number => (Math.random() < 0.5 ? 0 : Math.random() * 4);
const path = (): string => (Math.random() < 0.5 ? '/hello' : `/slow?ms=${between(20, 80)}`);

export async function soakDrain({ restarts, adapter, onRestart }: SoakOptions): Promise<SoakResult> {
  const result: SoakResult = { restarts, served: 0, refused: 0, problems: [] };
  for (let n = 1; n <= restarts; n++) {
    const subject = new Subject({ adapter, scheme: 'http' });
    try {
      const { tally, problems } = await restart(subject, n % 2 ? 'SIGTERM' : 'SIGINT');
      result.served += tally.byStatus.get(200) ?? 0;
      result.refused += tally.byStatus.get(503) ?? 0;
      result.problems.push(...problems.map((problem) => `${adapter}, restart ${n}: ${problem}`));
      onRestart?.(tally, problems);
    } finally {
      await subject.dispose();
    }
  }
  return result;
}

/** Runs the application once, with clients that never let up and a signal in the middle. */
async function restart(subject: Subject, signal: NodeJS.Signals): Promise<{ tally: Tally; problems: string[] }> {
  const app = await subject.launch();
  const tally = new Tally();
  const stop = new AbortController();
  const endpoint = app.endpoint();
  const load = Array.from({ length: KEPT_ALIVE + FRESH }, (_, n) =>
    hammer({ endpoint, tally, path, pause, fresh: n >= KEPT_ALIVE, stop: stop.signal }),
  );
  try {
    await after(between(50, 250));
    if (tally.refused.length > 0) return { tally, problems: [`refused before the signal: ${tally.refused.join()}`] };
    app.kill(signal);
    await app.exits();
  } catch (error) {
    return { tally, problems: [String(error)] };
  } finally {
    stop.abort();
    await Promise.all(load);
  }
  return { tally, problems: tally.wrong };
}

async function main(restarts: number): Promise<void> {
  const started = Date.now();
  const problems: string[] = [];
  for (const adapter of ['express', 'fastify'] as const) {
    const result = await soakDrain({
      restarts: Math.ceil(restarts / 2),
      adapter,
      onRestart: (tally, wrong) => console.log(`${adapter} ${tally.toString()}${wrong.length ? ' <-- wrong' : ''}`),
    });
    console.log(`${adapter}: ${result.restarts} restarts, ${result.served} served, ${result.refused} refused with 503`);
    problems.push(...result.problems);
  }
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(problems.length ? problems.join('\n') : `no request lost in ${seconds} s`);
  if (problems.length > 0) process.exitCode = 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const restarts = Number(process.argv[2] ?? 20);
  if (!Number.isInteger(restarts) || restarts < 1) throw new Error(`not a number of restarts: ${process.argv[2]}`);
  await main(restarts);
}
