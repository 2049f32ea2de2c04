import { chainOf, type PrepareGraph } from '../graph.js';
import { RecordSink, RecordSource, RecordStage } from '../record-nodes.js';
import { prepared } from './prepared.js';

export const prepare: PrepareGraph = (nodes, events) => ({
  ...chainOf(nodes, events),
  run: prepared(events, (g) => {
    let { out } = g.node(RecordSource);
    for (let n = 2; n < nodes; n++) {
      const stage = g.node(RecordStage, { name: `stage-${n}` });
      g.connect(out, stage.in);
      out = stage.out;
    }
    g.connect(out, g.node(RecordSink, { name: 'sink' }).in);
  }),
});
