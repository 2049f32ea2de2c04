import { Dataflow, type GraphBuilder } from '@roost/dataflow/core';

/** Creates the nodes of a graph, so that only their work is measured. @returns a function that runs it */
export function prepared(events: number, graph: (g: GraphBuilder) => void): () => Promise<number> {
  // Only a source uses it.
  const dataflow = new Dataflow({ fast: true, graph }, (type) => new (type as new (events: number) => object)(events));
  dataflow.describe();
  return async () => {
    await dataflow.run();
    return dataflow.node<{ sum: number }>('sink')!.sum;
  };
}
