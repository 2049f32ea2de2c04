import { formatSpan } from '../time/span.js';
import { isSame, NO_DELAY, ONE_MICROSTEP } from '../time/tag.js';
import type { EdgeModel, GraphModel } from './model.js';

/** Names contain only letters, digits, "-" and "_", so nothing has to be escaped. */
export function toMermaid({ nodes, edges }: GraphModel): string {
  const lines = nodes.map(({ index, name }) => `  n${index}["${name}"]`);
  for (const edge of edges) {
    lines.push(`  n${edge.from.index} ${edge.isPhysical ? '-.->' : '-->'}|"${label(edge)}"| n${edge.to.index}`);
  }
  return ['flowchart LR', ...lines, ''].join('\n');
}

export function toDot({ nodes, edges }: GraphModel): string {
  const lines = nodes.map(({ index, name }) => `  n${index} [label="${name}"];`);
  for (const edge of edges) {
    const style = edge.isPhysical ? ', style=dashed' : '';
    lines.push(`  n${edge.from.index} -> n${edge.to.index} [label="${label(edge)}"${style}];`);
  }
  return ['digraph dataflow {', '  rankdir=LR; node [shape=box];', ...lines, '}', ''].join('\n');
}

function label({ from, output, to, input, delay }: EdgeModel): string {
  const ports = `${from.outputs[output]!.name} → ${to.inputs[input]!.name}`;
  if (isSame(delay, NO_DELAY)) return ports;
  return `${ports} after ${isSame(delay, ONE_MICROSTEP) ? 'a microstep' : formatSpan(delay.time)}`;
}
