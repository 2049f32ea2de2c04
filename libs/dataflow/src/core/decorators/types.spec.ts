import {
  DataflowNode,
  Input,
  InputPort,
  LogicalAction,
  type NodeContext,
  OnStart,
  OnTimer,
  Output,
  OutputPort,
  PhysicalAction,
  Reaction,
  span,
} from '../index.js';
import { declarationOf } from '../node/declaration.js';

/** Declarations that the compiler rejects. The build checks every `@ts-expect-error` here. */
@DataflowNode()
class Refused {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;
  @LogicalAction() soon!: LogicalAction<number>;
  @LogicalAction() bare!: LogicalAction;
  @PhysicalAction() door!: PhysicalAction<string>;

  @Reaction('in', 'soon', 'door')
  run(_ctx: NodeContext): void {}

  @Reaction('in', { writes: [] })
  one(): void {}

  @Reaction('in', 'soon', 'bare', { writes: ['out'] })
  async several(): Promise<void> {}

  // @ts-expect-error a reaction needs a trigger
  @Reaction({ writes: [] })
  nothing(): void {}

  // @ts-expect-error the second trigger does not exist
  @Reaction('in', 'soo', { writes: [] })
  second(): void {}

  // @ts-expect-error the member does not exist
  @Reaction('inn')
  misspelt(): void {}

  // @ts-expect-error an output triggers nothing
  @Reaction('out')
  backwards(): void {}

  // @ts-expect-error the parameter must be a context
  @Reaction('in')
  wrongParameter(_value: number): void {}

  // @ts-expect-error the result must be void or a promise of void
  @OnStart()
  wrongResult(): number {
    return 1;
  }

  // @ts-expect-error a number is not a span
  @OnTimer({ period: 10 })
  wrongPeriod(): void {}

  values(ctx: NodeContext): void {
    this.out.set(1);
    // @ts-expect-error a string is not a number
    this.out.set('1');
    this.soon.schedule(span.ms(1), 1);
    this.bare.schedule(span.ms(1));
    // @ts-expect-error the payload is a number
    this.soon.schedule(span.ms(1));
    // @ts-expect-error a number is not a span
    this.bare.schedule(5);
    this.door.schedule('in');
    // @ts-expect-error the payload is a string
    this.door.schedule(1);
    ctx.schedule(span.ms(1), () => undefined);
    ctx.schedule(span.ms(1), this.soon, 2);
    // @ts-expect-error the payload is a number
    ctx.schedule(span.ms(1), this.soon, '2');
    // @ts-expect-error physical actions are scheduled from outside only
    ctx.schedule(span.ms(1), this.door, 'x');
    // @ts-expect-error a value may be absent
    const value: number = this.in.value;
    void value;
    // @ts-expect-error inputs are read-only
    this.in.value = 5;
  }
}

describe('decorator types', () => {
  it('accept correct declarations, and still declare reactions that the compiler rejects', () => {
    expect(declarationOf(Refused).reactions.map(({ method }) => method)).toEqual([
      'run',
      'one',
      'several',
      'nothing',
      'second',
      'misspelt',
      'backwards',
      'wrongParameter',
      'wrongResult',
      'wrongPeriod',
    ]);
  });

  it('reject an unknown option, at compile time and at run time', () => {
    // @ts-expect-error the option does not exist
    expect(() => Reaction('in', { read: ['in'] })).toThrow('Dataflow option `@Reaction.read` is');
  });
});
