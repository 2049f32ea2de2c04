import fc from 'fast-check';
import { DuplicatePhaseError } from './errors/duplicate-phase.error.js';
import { InvalidNameError } from './errors/invalid-name.error.js';
import { InvalidShutdownOptionError } from './errors/invalid-shutdown-option.error.js';
import { InvalidTimeoutError } from './errors/invalid-timeout.error.js';
import { PhaseCycleError } from './errors/phase-cycle.error.js';
import { UnknownPhaseError } from './errors/unknown-phase.error.js';
import { Phase, type PhaseOptions } from './phase.js';
import { PhaseGraph } from './phase-graph.js';

const CANONICAL: readonly string[] = Object.values(Phase);
const LAST = Phase.ActorSystemTerminate;

const orderOf = (graph: PhaseGraph): string[] => graph.plan.map((phase) => phase.name);
const errorOf = (body: () => unknown): unknown => {
  try {
    body();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('PhaseGraph', () => {
  it('has the twelve built-in phases in order, each depending on the previous one', () => {
    const { plan } = new PhaseGraph();

    expect(plan.map((phase) => phase.name)).toEqual([
      'before-service-unbind',
      'service-unbind',
      'service-requests-done',
      'service-stop',
      'before-cluster-shutdown',
      'cluster-sharding-shutdown-region',
      'cluster-leave',
      'cluster-exiting',
      'cluster-exiting-done',
      'cluster-shutdown',
      'before-actor-system-terminate',
      'actor-system-terminate',
    ]);
    for (const [i, phase] of plan.entries()) {
      if (i > 0) expect(phase.dependsOn).toContain(plan[i - 1]!.name);
    }
  });

  it('fills in the defaults of a phase', () => {
    const graph = new PhaseGraph({ own: {} }, 7_000);

    expect(graph.get('own', 'test')).toEqual({
      name: 'own',
      index: 12,
      timeoutMs: 7_000,
      recover: true,
      enabled: true,
    });
  });

  it('changes the settings of a built-in phase without moving it', () => {
    const graph = new PhaseGraph({ [Phase.ServiceStop]: { timeoutMs: 9, recover: false, enabled: false } });

    expect(orderOf(graph)).toEqual(CANONICAL);
    expect(graph.get(Phase.ServiceStop, 'test')).toMatchObject({ timeoutMs: 9, recover: false, enabled: false });
  });

  it('breaks ties by declaration order, not alphabetically', () => {
    const graph = new PhaseGraph({ zebra: {}, apple: {} });
    graph.add('mango', {});

    expect(orderOf(graph)).toEqual([...CANONICAL.slice(0, -1), 'zebra', 'apple', 'mango', LAST]);
  });

  it('runs a phase declared later before the phase that depends on it', () => {
    const graph = new PhaseGraph({ early: { before: [Phase.BeforeServiceUnbind] } });

    expect(orderOf(graph)).toEqual(['early', ...CANONICAL]);
  });

  it('keeps actor-system-terminate last, after phases that merely sort after it', () => {
    const graph = new PhaseGraph({ 'zz-flush': { dependsOn: [Phase.BeforeActorSystemTerminate] } });

    expect(orderOf(graph).slice(-2)).toEqual(['zz-flush', LAST]);
  });

  it('runs a phase after actor-system-terminate if it depends on it, directly or indirectly', () => {
    const graph = new PhaseGraph({ grand: { dependsOn: ['after'] }, after: { dependsOn: [LAST] }, plain: {} });

    expect(orderOf(graph).slice(-4)).toEqual(['plain', LAST, 'after', 'grand']);
  });

  it('runs actor-system-terminate before the phases in its `before` list', () => {
    const graph = new PhaseGraph({ tail: {}, [LAST]: { before: ['tail'] } });

    expect(orderOf(graph).slice(-2)).toEqual([LAST, 'tail']);
  });

  it('accepts options that refer to phases declared further down', () => {
    const graph = new PhaseGraph({ b: { dependsOn: ['a'] }, a: {} });

    expect(orderOf(graph).slice(-3)).toEqual(['a', 'b', LAST]);
  });

  it('ignores duplicates in dependsOn and before', () => {
    const twice = [Phase.ServiceUnbind, Phase.ServiceUnbind];
    const graph = new PhaseGraph({ x: { dependsOn: twice, before: [Phase.ServiceStop, Phase.ServiceStop] } });

    expect(orderOf(graph).indexOf('x')).toBe(3);
    expect(graph.plan[3]!.dependsOn).toEqual([Phase.ServiceUnbind]);
  });

  it.each([
    ['constructor', () => new PhaseGraph({ x: { dependsOn: ['nope'] } }), 'phases["x"].dependsOn'],
    ['constructor', () => new PhaseGraph({ x: { before: ['nope'] } }), 'phases["x"].before'],
    ['add', () => new PhaseGraph().add('x', { dependsOn: ['nope'] }), 'addPhase("x")'],
    ['add', () => new PhaseGraph().add('x', { before: ['nope'] }), 'addPhase("x")'],
    ['get', () => new PhaseGraph().get('nope', 'the caller'), 'the caller'],
    ['setTimeout', () => new PhaseGraph().setTimeout('nope', 1, 'the caller'), 'the caller'],
  ])('%s refuses an unknown phase and lists the known ones', (_, body, who) => {
    const error = errorOf(body) as UnknownPhaseError;

    expect(error).toBeInstanceOf(UnknownPhaseError);
    expect(error).toMatchObject({ code: 'SHUTDOWN_UNKNOWN_PHASE', phase: 'nope', declaredBy: who });
    expect(error.message).toContain(`${who} refers to the unknown shutdown phase "nope"`);
    expect(error.knownPhases).toEqual(expect.arrayContaining([...CANONICAL]));
    for (const name of CANONICAL) expect(error.message).toContain(name);
  });

  it('refuses a name that is in use', () => {
    const graph = new PhaseGraph({ mine: {} });

    expect(() => graph.add('mine', {})).toThrow(DuplicatePhaseError);
    expect(() => graph.add(Phase.ServiceStop, {})).toThrow(
      expect.objectContaining({ code: 'SHUTDOWN_DUPLICATE_PHASE', phase: 'service-stop' }),
    );
  });

  it.each(['', '  ', 7, undefined])('refuses %p as the name of a phase', (name) => {
    expect(() => new PhaseGraph().add(name as string, {})).toThrow(InvalidNameError);
  });

  it('refuses an empty name in the options', () => {
    expect(() => new PhaseGraph({ ' ': {} })).toThrow(
      "the name of a shutdown phase is ' ', but must be a non-empty string",
    );
  });

  it.each([0, -1, NaN, Infinity, 2 ** 31, '5' as unknown as number])('refuses a timeout of %p everywhere', (bad) => {
    const graph = new PhaseGraph();

    expect(() => new PhaseGraph({ x: { timeoutMs: bad } })).toThrow(
      expect.objectContaining({ code: 'SHUTDOWN_INVALID_TIMEOUT', option: 'phases["x"].timeoutMs', value: bad }),
    );
    expect(() => new PhaseGraph({ [LAST]: { timeoutMs: bad } })).toThrow(InvalidTimeoutError);
    expect(() => graph.add('x', { timeoutMs: bad })).toThrow('addPhase("x").timeoutMs');
    expect(() => graph.setTimeout(LAST, bad, 'who')).toThrow(InvalidTimeoutError);
    expect(graph.names).not.toContain('x');
  });

  it.each([
    ['recover', { recover: 'no' }],
    ['enabled', { enabled: 0 }],
    ['dependsOn', { dependsOn: 'service-stop' }],
    ['before', { before: new Set(['service-stop']) }],
  ])('refuses a %s of the wrong type', (key, options) => {
    const graph = new PhaseGraph();

    expect(() => new PhaseGraph({ x: options as unknown as PhaseOptions })).toThrow(InvalidShutdownOptionError);
    expect(() => graph.add('x', options as unknown as PhaseOptions)).toThrow(`addPhase("x").${key}`);
    expect(graph.names).toEqual(CANONICAL);
  });

  it('accepts the longest timeout that a timer supports', () => {
    const graph = new PhaseGraph();
    graph.setTimeout(LAST, 2 ** 31 - 1, 'who');

    expect(graph.plan.at(-1)!.timeoutMs).toBe(2 ** 31 - 1);
  });

  it.each<[string, Record<string, PhaseOptions>, string[]]>([
    ['themselves', { a: { dependsOn: ['a'] } }, ['a', 'a']],
    ['themselves through before', { a: { before: ['a'] } }, ['a', 'a']],
    ['each other', { a: { dependsOn: ['b'] }, b: { dependsOn: ['a'] } }, ['a', 'b', 'a']],
    ['each other through before', { a: { before: ['b'] }, b: { before: ['a'] } }, ['a', 'b', 'a']],
    [
      'each other in a longer cycle',
      { a: { dependsOn: ['c'] }, b: { dependsOn: ['a'] }, c: { dependsOn: ['b'] } },
      ['a', 'b', 'c', 'a'],
    ],
  ])('refuses phases that wait for %s and prints the path', (_, phases, path) => {
    const error = errorOf(() => new PhaseGraph(phases)) as PhaseCycleError;

    expect(error).toBeInstanceOf(PhaseCycleError);
    expect(error.code).toBe('SHUTDOWN_PHASE_CYCLE');
    expect(error.message).toContain(error.path.join(' → '));
    expect(error.path.at(0)).toBe(error.path.at(-1));
    expect(new Set(error.path)).toEqual(new Set(path));
    expect(error.path).toHaveLength(path.length);
  });

  it('refuses a cycle through the built-in phases and prints all of it', () => {
    const error = errorOf(
      () => new PhaseGraph({ x: { dependsOn: [Phase.ServiceStop], before: [Phase.ServiceUnbind] } }),
    ) as PhaseCycleError;

    expect(new Set(error.path)).toEqual(
      new Set(['x', Phase.ServiceUnbind, Phase.ServiceRequestsDone, Phase.ServiceStop]),
    );
  });

  it.each<[string, PhaseOptions]>([
    ['a cycle', { dependsOn: [Phase.ServiceStop], before: [Phase.ServiceUnbind] }],
    ['a self-dependency', { dependsOn: ['x'] }],
    ['an unknown phase', { dependsOn: [Phase.ServiceStop, 'nope'] }],
    ['a bad timeout', { timeoutMs: NaN, before: [Phase.ServiceStop] }],
  ])('changes nothing when add() refuses %s', (_, options) => {
    const graph = new PhaseGraph({ first: {} });
    const before = graph.plan;

    expect(() => graph.add('x', options)).toThrow();

    expect(graph.plan).toEqual(before);
    graph.add('x', {});
    expect(orderOf(graph)).toEqual([...CANONICAL.slice(0, -1), 'first', 'x', LAST]);
  });

  it('caches its plan until something changes', () => {
    const graph = new PhaseGraph();
    const { plan } = graph;

    expect(graph.plan).toBe(plan);
    graph.setTimeout(LAST, 77, 'who');
    expect(graph.plan).not.toBe(plan);
    expect(graph.plan.at(-1)!.timeoutMs).toBe(77);
    graph.add('x', {});
    expect(orderOf(graph)).toContain('x');
  });

  it('sorts 10,000 phases in a chain, without recursion', () => {
    const graph = new PhaseGraph();
    for (let i = 0; i < 10_000; i++) graph.add(`p${i}`, i > 0 ? { dependsOn: [`p${i - 1}`] } : {});

    expect(graph.plan.map((phase) => phase.name).slice(11, -1)).toEqual(
      Array.from({ length: 10_000 }, (_, i) => `p${i}`),
    );
    expect(() => graph.add('x', { dependsOn: ['p9999'], before: ['p0'] })).toThrow(PhaseCycleError);
  });
});

interface Declared {
  name: string;
  dependsOn: string[];
  before: string[];
}

/** Custom phases with edges among themselves and to built-in ones, including cycles. */
const declarations = (maxEdges: number): fc.Arbitrary<Declared[]> =>
  fc.integer({ min: 0, max: 8 }).chain((count) => {
    const own = Array.from({ length: count }, (_, i) => `phase-${(i * 5) % 9}`);
    const names = fc.array(fc.constantFrom(...own, ...CANONICAL), { maxLength: maxEdges });
    return fc.tuple(...own.map((name) => fc.record({ name: fc.constant(name), dependsOn: names, before: names })));
  });

const toOptions = (phases: readonly Declared[]): Record<string, PhaseOptions> =>
  Object.fromEntries(phases.map(({ name, dependsOn, before }) => [name, { dependsOn, before }]));

/** All edges as `earlier → later`, without the implicit edges of the last phase. */
const edgesOf = (phases: readonly Declared[]): [string, string][] => [
  ...CANONICAL.slice(1).map((name, i): [string, string] => [CANONICAL[i]!, name]),
  ...phases.flatMap(({ name, dependsOn, before }) => [
    ...dependsOn.map((earlier): [string, string] => [earlier, name]),
    ...before.map((later): [string, string] => [name, later]),
  ]),
];

/** Floyd–Warshall, which shares nothing with the code under test. */
const reachability = (
  names: readonly string[],
  edges: readonly [string, string][],
): ((a: string, b: string) => boolean) => {
  const index = new Map(names.map((name, i) => [name, i]));
  const reach = names.map(() => names.map(() => false));
  for (const [a, b] of edges) reach[index.get(a)!]![index.get(b)!] = true;
  for (let k = 0; k < names.length; k++)
    for (let i = 0; i < names.length; i++)
      for (let j = 0; j < names.length; j++) reach[i]![j] ||= reach[i]![k]! && reach[k]![j]!;
  return (a, b) => reach[index.get(a)!]![index.get(b)!]!;
};

/** At each step, takes the first declared phase whose predecessors have all been taken. */
const naiveOrder = (names: readonly string[], edges: readonly [string, string][]): string[] => {
  const reaches = reachability(names, edges);
  const all = [
    ...edges,
    ...names.filter((n) => n !== LAST && !reaches(LAST, n)).map((n): [string, string] => [n, LAST]),
  ];
  const order: string[] = [];
  while (order.length < names.length) {
    order.push(names.find((name) => !order.includes(name) && all.every(([a, b]) => b !== name || order.includes(a)))!);
  }
  return order;
};

describe('PhaseGraph, for any declarations', () => {
  it('detects a cycle exactly when there is one, and prints a real one', () => {
    let circles = 0;
    fc.assert(
      fc.property(declarations(2), (phases) => {
        const names = [...CANONICAL, ...phases.map((phase) => phase.name)];
        const edges = edgesOf(phases);
        const reaches = reachability(names, edges);
        const error = errorOf(() => new PhaseGraph(toOptions(phases)));

        if (!names.some((name) => reaches(name, name))) return void expect(error).toBeUndefined();
        circles++;
        expect(error).toBeInstanceOf(PhaseCycleError);
        const { path } = error as PhaseCycleError;
        expect(path.length).toBeGreaterThan(1);
        expect(path.at(0)).toBe(path.at(-1));
        expect(new Set(path).size).toBe(path.length - 1);
        for (let i = 1; i < path.length; i++) expect(edges).toContainEqual([path[i - 1], path[i]]);
      }),
      { numRuns: 300 },
    );
    expect(circles).toBeGreaterThan(10);
  });

  it('orders like the naive model, from options and from add(), with and without duplicates', () => {
    let ordered = 0;
    fc.assert(
      fc.property(declarations(1), (phases) => {
        const names = [...CANONICAL, ...phases.map((phase) => phase.name)];
        const edges = edgesOf(phases);
        const reaches = reachability(names, edges);
        fc.pre(!names.some((name) => reaches(name, name)));
        ordered++;

        const order = orderOf(new PhaseGraph(toOptions(phases)));
        expect(order).toEqual(naiveOrder(names, edges));
        for (const [a, b] of edges) expect(order.indexOf(a)).toBeLessThan(order.indexOf(b));
        for (const name of order.slice(order.indexOf(LAST) + 1)) expect(reaches(LAST, name)).toBe(true);

        const doubled = phases.map((one) => ({ ...one, dependsOn: [...one.dependsOn, ...one.dependsOn] }));
        expect(orderOf(new PhaseGraph(toOptions(doubled)))).toEqual(order);
      }),
      { numRuns: 300 },
    );
    expect(ordered).toBeGreaterThan(50);
  });

  it('returns the same plan when phases are added one by one, and refuses the phase that closes a cycle', () => {
    fc.assert(
      fc.property(declarations(2), (phases) => {
        const graph = new PhaseGraph();
        const accepted: Declared[] = [];
        for (const phase of phases) {
          const known = [...graph.names];
          const keep = ({ name, dependsOn, before }: Declared): Declared => ({
            name,
            dependsOn: dependsOn.filter((other) => known.includes(other) || other === name),
            before: before.filter((other) => known.includes(other) || other === name),
          });
          const one = keep(phase);
          const names = [...known, one.name];
          const reaches = reachability(names, edgesOf([...accepted, one]));
          const circle = names.some((name) => reaches(name, name));
          const { name, ...options } = one;
          const error = errorOf(() => graph.add(name, options));
          if (circle) expect(error).toBeInstanceOf(PhaseCycleError);
          else {
            expect(error).toBeUndefined();
            accepted.push(one);
          }
        }
        expect(graph.plan).toEqual(new PhaseGraph(toOptions(accepted)).plan);
        expect(orderOf(graph)).toEqual(naiveOrder(graph.names, edgesOf(accepted)));
      }),
      { numRuns: 300 },
    );
  });

  it('lists all dependencies of a phase in dependsOn', () => {
    const { plan } = new PhaseGraph({ a: { before: [Phase.ServiceStop] }, b: { dependsOn: ['a', 'a'] } });

    expect(plan.find(({ name }) => name === 'b')!.dependsOn).toEqual(['a']);
    expect(plan.find(({ name }) => name === Phase.ServiceStop)!.dependsOn).toEqual([Phase.ServiceRequestsDone, 'a']);
    expect([...plan.at(-1)!.dependsOn].sort()).toEqual([...CANONICAL.slice(0, -1), 'a', 'b'].sort());
  });
});
