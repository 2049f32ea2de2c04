import { fanOf, type PrepareGraph } from '../graph.js';
import { Sink, Source, Stage } from '../nodes.js';
import { prepared } from './prepared.js';

export const prepare: PrepareGraph = (nodes, events) => ({
  ...fanOf(nodes, events),
  run: prepared(events, (g) => {
    const { out } = g.node(Source);
    const stages = Array.from({ length: nodes }, (_, n) => g.node(Stage, { name: `stage-${n}` }));
    for (const stage of stages) g.connect(out, stage.in);
    g.merge(
      stages.map((stage) => stage.out),
      g.node(Sink).in,
    );
  }),
});
