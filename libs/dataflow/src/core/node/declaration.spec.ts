import {
  DataflowNode,
  Input,
  InputPort,
  LogicalAction,
  type NodeContext,
  OnShutdown,
  OnStart,
  OnTimer,
  Output,
  OutputPort,
  PhysicalAction,
  Reaction,
  span,
} from '../index.js';
import { runAlone } from '../run/graph.fixture.js';
import { declarationOf, nodeOptionsOf } from './declaration.js';

describe('declarationOf', () => {
  it('collects the decorators in the order of the class', () => {
    @DataflowNode({ name: 'all' })
    class All {
      @Input() a!: InputPort<number>;
      @Input({ retain: true }) b!: InputPort<number>;
      @Output() c!: OutputPort<number>;
      @LogicalAction() d!: LogicalAction;
      @PhysicalAction() e!: PhysicalAction;
      @OnStart() begin(): void {}
      @Reaction('a', 'd', { reads: ['b'], writes: [] }) run(): void {}
      @OnTimer({ offset: span.ms(1), period: span.ms(2), writes: ['c'] }) tick(): void {}
      @OnShutdown() end(): void {}
    }
    const { inputs, outputs, logicalActions, physicalActions, reactions } = declarationOf(All);
    expect([...inputs]).toEqual([
      ['a', {}],
      ['b', { retain: true }],
    ]);
    expect([[...outputs], [...logicalActions], [...physicalActions]]).toEqual([['c'], ['d'], ['e']]);
    expect(reactions).toEqual([
      { method: 'begin', triggers: [{ kind: 'start' }], reads: [], writes: undefined },
      {
        method: 'run',
        triggers: [
          { kind: 'member', name: 'a' },
          { kind: 'member', name: 'd' },
        ],
        reads: ['b'],
        writes: [],
      },
      {
        method: 'tick',
        triggers: [{ kind: 'timer', offset: span.ms(1), period: span.ms(2) }],
        reads: [],
        writes: ['c'],
      },
      { method: 'end', triggers: [{ kind: 'shutdown' }], reads: [], writes: [] },
    ]);
    expect(nodeOptionsOf(All)).toEqual({ name: 'all' });
  });

  it('merges several decorators on one method into one reaction', async () => {
    @DataflowNode()
    class Busy {
      @LogicalAction() soon!: LogicalAction;
      @Output() out!: OutputPort<number>;
      readonly ran: number[] = [];

      @OnStart()
      @OnTimer({ offset: span.ms(0), writes: ['out'] })
      @OnTimer({ offset: span.ms(1) })
      @Reaction('soon')
      run(ctx: NodeContext): void {
        this.ran.push(ctx.now.time);
        this.out.set(1);
        if (this.ran.length === 1) this.soon.schedule(span.ms(3));
      }
    }
    const { node, report } = await runAlone(Busy);
    expect(node.ran).toEqual([0, span.ms(1), span.ms(3)]);
    expect(report.nodes['alone']).toMatchObject({ tags: 3, firings: 3 });
  });
});

describe('a node class that extends another', () => {
  class Base {
    @Input() in!: InputPort<number>;
    @Output() out!: OutputPort<string>;
    @OnTimer() first(): void {
      this.say('base first');
    }
    @OnTimer() second(): void {
      this.say('base second');
    }
    readonly said: string[] = [];
    say(text: string): void {
      this.said.push(text);
    }
  }

  it('inherits all declarations, and runs the reactions of its base class first', async () => {
    @DataflowNode()
    class Derived extends Base {
      @LogicalAction() own!: LogicalAction;
      @OnTimer() third(): void {
        this.say('own third');
      }
    }
    expect([...declarationOf(Derived).inputs.keys(), ...declarationOf(Derived).outputs]).toEqual(['in', 'out']);
    expect((await runAlone(Derived)).node.said).toEqual(['base first', 'base second', 'own third']);
  });

  it('keeps the triggers of a method that it overrides', async () => {
    @DataflowNode()
    class Derived extends Base {
      override first(): void {
        this.say('own first');
      }
    }
    expect((await runAlone(Derived)).node.said).toEqual(['own first', 'base second']);
  });

  it('can redeclare the triggers of a method, without changing its position', async () => {
    @DataflowNode()
    class Derived extends Base {
      @OnTimer({ offset: span.ms(1) }) override first(): void {
        this.say('own first');
      }
      @OnTimer({ offset: span.ms(1) }) override second(): void {
        this.say('own second');
      }
    }
    expect((await runAlone(Derived)).node.said).toEqual(['own first', 'own second']);
  });

  it('does not change its base class or its siblings', () => {
    @DataflowNode()
    class One extends Base {
      @Output() one!: OutputPort<number>;
    }
    @DataflowNode()
    class Other extends Base {
      @Input({ retain: true }) declare in: InputPort<number>;
    }
    expect([...declarationOf(One).outputs]).toEqual(['out', 'one']);
    expect(declarationOf(One).inputs.get('in')).toEqual({});
    expect([...declarationOf(Other).outputs]).toEqual(['out']);
    expect(declarationOf(Other).inputs.get('in')).toEqual({ retain: true });
    expect(nodeOptionsOf(Base)).toBeUndefined();
    expect(nodeOptionsOf(class extends One {})).toBeUndefined();
    expect(declarationOf(class {}).reactions).toEqual([]);
  });
});
