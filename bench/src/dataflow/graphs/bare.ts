import { BareScheduler, type Hop } from '../bare-scheduler.js';
import { chainOf, type PrepareGraph } from '../graph.js';

export const prepare: PrepareGraph = (nodes, events) => {
  const scheduler = new BareScheduler<number>();
  let sum = 0;
  let next: Hop<number> = (value) => void (sum += value);
  for (let level = nodes - 1; level > 1; level--) {
    const after = next;
    next = (value) => scheduler.schedule(scheduler.now, level, after, value + 1);
  }
  const first = next;
  const tick: Hop<number> = (count) => {
    if (count < events) scheduler.schedule(scheduler.now + 1_000, 0, tick, count + 1);
    scheduler.schedule(scheduler.now, 1, first, count);
  };
  scheduler.schedule(0, 0, tick, 1);
  return {
    ...chainOf(nodes, events),
    run: () => {
      scheduler.run();
      return sum;
    },
  };
};
