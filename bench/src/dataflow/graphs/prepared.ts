import { Dataflow, type GraphBuilder } from '@roost/dataflow/core';
import { Sink, Source } from '../nodes.js';

/** Makes the nodes of a graph, so that only their work is left to be measured. @returns runs it */
export function prepared(events: number, graph: (g: GraphBuilder) => void): () => Promise<number> {
  const dataflow = new Dataflow({ fast: true, graph }, (type) =>
    type === Source ? new Source(events) : new (type as new () => object)(),
  );
  dataflow.describe();
  return async () => {
    await dataflow.run();
    return dataflow.node<Sink>('sink')!.sum;
  };
}
