import { DuplicatePhaseError } from './errors/duplicate-phase.error.js';
import { InvalidNameError } from './errors/invalid-name.error.js';
import { PhaseCycleError } from './errors/phase-cycle.error.js';
import { UnknownPhaseError } from './errors/unknown-phase.error.js';
import { MinHeap } from './min-heap.js';
import { check } from './option-checks.js';
import { Phase, type PhaseOptions } from './phase.js';

/** A declared phase with its defaults filled in. */
export interface PhaseDefinition {
  readonly name: string;
  /** Position in declaration order, which breaks ties. */
  readonly index: number;
  readonly timeoutMs: number;
  readonly recover: boolean;
  readonly enabled: boolean;
}

/** A phase in running order, with all phases it waits for. */
export interface PlannedPhase extends PhaseDefinition {
  readonly dependsOn: readonly string[];
}

interface Node {
  definition: PhaseDefinition;
  /** Phases that must finish first. */
  readonly after: Set<string>;
}

/**
 * The phases and their order. The order is topological, with ties broken by declaration order. `actor-system-terminate`
 * is last unless a phase explicitly depends on it. Tasks and time play no role here.
 */
export class PhaseGraph {
  readonly #nodes = new Map<string, Node>();
  #plan: readonly PlannedPhase[] | undefined;

  constructor(
    phases: Readonly<Record<string, PhaseOptions>> = {},
    private readonly defaultTimeoutMs = 5_000,
  ) {
    let previous: string | undefined;
    for (const [name, options] of Object.entries(phases)) assertPhaseOptions(options, `phases["${name}"]`);
    for (const name of Object.values(Phase)) {
      this.#declare(name, phases[name] ?? {});
      if (previous) this.#nodes.get(name)!.after.add(previous);
      previous = name;
    }
    for (const [name, options] of Object.entries(phases)) {
      if (!this.#nodes.has(name)) this.#declare(name, options);
    }
    // Edges last, because options may refer to phases declared further down.
    for (const [name, options] of Object.entries(phases)) this.#connect(name, options, `phases["${name}"]`);
    void this.plan; // throws on a cycle
  }

  get names(): string[] {
    return [...this.#nodes.keys()];
  }

  /** Declares one more phase. Changes nothing if it throws. */
  add(name: string, options: PhaseOptions): void {
    if (this.#nodes.has(name)) throw new DuplicatePhaseError(name);
    const where = `addPhase("${name}")`;
    assertPhaseOptions(options, where);
    for (const other of [...(options.dependsOn ?? []), ...(options.before ?? [])]) {
      if (other !== name) this.#node(other, where);
    }
    this.#declare(name, options);
    this.#connect(name, options, where);
    // Only an edge into an older phase can close a cycle.
    const cycle = options.before?.length
      ? this.#findCycle([name])
      : this.#node(name, where).after.has(name)
        ? [name, name]
        : undefined;
    if (cycle) {
      this.#nodes.delete(name);
      for (const node of this.#nodes.values()) node.after.delete(name);
      throw new PhaseCycleError(cycle);
    }
  }

  get(name: string, askedBy: string): PhaseDefinition {
    return this.#node(name, askedBy).definition;
  }

  setTimeout(name: string, timeoutMs: number, askedBy: string): void {
    const node = this.#node(name, askedBy);
    check.timeout(timeoutMs, askedBy);
    node.definition = { ...node.definition, timeoutMs };
    this.#plan = undefined;
  }

  /** All phases in running order. Cached until the graph changes. */
  get plan(): readonly PlannedPhase[] {
    return (this.#plan ??= this.#sort());
  }

  #declare(name: string, options: PhaseOptions): void {
    if (typeof name !== 'string' || name.trim() === '') {
      throw new InvalidNameError('phase', name, 'addPhase() or the option `phases`');
    }
    const { timeoutMs = this.defaultTimeoutMs, recover = true, enabled = true } = options;
    const definition = { name, index: this.#nodes.size, timeoutMs, recover, enabled };
    this.#nodes.set(name, { definition, after: new Set() });
    this.#plan = undefined;
  }

  #connect(name: string, options: PhaseOptions, where: string): void {
    const node = this.#node(name, where);
    for (const earlier of options.dependsOn ?? []) {
      this.#node(earlier, `${where}.dependsOn`);
      node.after.add(earlier);
    }
    for (const later of options.before ?? []) this.#node(later, `${where}.before`).after.add(name);
  }

  #node(name: string, askedBy: string): Node {
    const node = this.#nodes.get(name);
    if (!node) throw new UnknownPhaseError(name, this.names, askedBy);
    return node;
  }

  /** Kahn's algorithm. Among the phases that could come next, the one declared first wins. */
  #sort(): PlannedPhase[] {
    const nodes = [...this.#nodes.values()];
    const dependsOn: Edges = new Map(nodes.map((node) => [node.definition.name, [...node.after]]));
    const last = Phase.ActorSystemTerminate;
    const afterTheEnd = reachableFrom(last, invert(dependsOn));
    const beforeTheEnd = this.names.filter((name) => !afterTheEnd.has(name));
    dependsOn.set(last, [...new Set([...this.#nodes.get(last)!.after, ...beforeTheEnd])]);

    const dependents = invert(dependsOn);
    const missing = new Map<string, number>();
    const ready = new MinHeap();
    for (const { definition } of nodes) {
      const earlier = dependsOn.get(definition.name)!;
      missing.set(definition.name, earlier.length);
      if (earlier.length === 0) ready.push(definition.index);
    }
    const plan: PlannedPhase[] = [];
    for (let index = ready.pop(); index !== undefined; index = ready.pop()) {
      const { definition } = nodes[index]!;
      plan.push({ ...definition, dependsOn: dependsOn.get(definition.name)! });
      for (const later of dependents.get(definition.name) ?? []) {
        const left = missing.get(later)! - 1;
        missing.set(later, left);
        if (left === 0) ready.push(this.#nodes.get(later)!.definition.index);
      }
    }
    if (plan.length < nodes.length) throw new PhaseCycleError(this.#findCycle(this.names)!);
    return plan;
  }

  /** Searches depth-first along `after`, without recursion. Returns the cycle in running order. */
  #findCycle(starts: Iterable<string>): string[] | undefined {
    const done = new Set<string>();
    for (const start of starts) {
      const path = [start];
      const onPath = new Set(path);
      const open = [this.#nodes.get(start)!.after.values()];
      while (open.length > 0) {
        const next = open.at(-1)!.next();
        if (next.done) {
          open.pop();
          const left = path.pop()!;
          onPath.delete(left);
          done.add(left);
        } else if (onPath.has(next.value)) {
          return [...path.slice(path.indexOf(next.value)), next.value].reverse();
        } else if (!done.has(next.value)) {
          path.push(next.value);
          onPath.add(next.value);
          open.push(this.#nodes.get(next.value)!.after.values());
        }
      }
    }
    return undefined;
  }
}

type Edges = Map<string, string[]>;

/** Turns "depends on" edges into "is required by" edges. */
function invert(edges: Edges): Edges {
  const inverted: Edges = new Map();
  for (const [from, list] of edges) {
    for (const to of list) {
      const back = inverted.get(to);
      if (back) back.push(from);
      else inverted.set(to, [from]);
    }
  }
  return inverted;
}

/** Returns the start and every phase reachable from it. */
function reachableFrom(start: string, edges: Edges): Set<string> {
  const found = new Set([start]);
  for (const name of found) for (const next of edges.get(name) ?? []) found.add(next);
  return found;
}

function assertPhaseOptions(options: PhaseOptions, where: string): void {
  check.knownKeys(options, ['dependsOn', 'before', 'timeoutMs', 'recover', 'enabled'], where);
  const { dependsOn, before, timeoutMs, recover, enabled } = options;
  if (timeoutMs !== undefined) check.timeout(timeoutMs, `${where}.timeoutMs`);
  if (recover !== undefined) check.boolean(recover, `${where}.recover`);
  if (enabled !== undefined) check.boolean(enabled, `${where}.enabled`);
  if (dependsOn !== undefined) check.list(dependsOn, `${where}.dependsOn`);
  if (before !== undefined) check.list(before, `${where}.before`);
}
