import { BareScheduler, type Hop } from '../bare-scheduler.js';
import { chainOf, type PrepareGraph } from '../graph.js';
import { type Reading, reading } from '../record-nodes.js';

export const prepare: PrepareGraph = (nodes, events) => {
  const scheduler = new BareScheduler<Reading>();
  let sum = 0;
  let next: Hop<Reading> = ({ value }) => void (sum += value);
  for (let level = nodes - 1; level > 1; level--) {
    const after = next;
    next = (last) => scheduler.schedule(scheduler.now, level, after, { ...last, value: last.value + 1 });
  }
  const first = next;
  const tick: Hop<Reading> = (now) => {
    if (now.value < events) scheduler.schedule(scheduler.now + 1_000, 0, tick, reading(now.value + 1));
    scheduler.schedule(scheduler.now, 1, first, now);
  };
  scheduler.schedule(0, 0, tick, reading(1));
  return {
    ...chainOf(nodes, events),
    run: () => {
      scheduler.run();
      return sum;
    },
  };
};
