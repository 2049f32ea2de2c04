import { chainOf, type PrepareGraph } from '../graph.js';
import { Sink, Source, Stage } from '../nodes.js';
import { prepared } from './prepared.js';

/** A chain of two nodes among nodes that stay idle. */
export const prepare: PrepareGraph = (nodes, events) => ({
  ...chainOf(2, events),
  run: prepared(events, (g) => {
    g.connect(g.node(Source).out, g.node(Sink).in);
    for (let n = 0; n < nodes; n++) g.node(Stage, { name: `stage-${n}` });
  }),
});
