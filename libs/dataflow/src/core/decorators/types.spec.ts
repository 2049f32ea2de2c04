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

/** What the compiler refuses; the build checks every `@ts-expect-error` here. */
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

  // @ts-expect-error a reaction needs something to react to
  @Reaction({ writes: [] })
  nothing(): void {}

  // @ts-expect-error the second has no such member either
  @Reaction('in', 'soo', { writes: [] })
  second(): void {}

  // @ts-expect-error there is no such member
  @Reaction('inn')
  misspelt(): void {}

  // @ts-expect-error an output sets nothing off
  @Reaction('out')
  backwards(): void {}

  // @ts-expect-error a reaction gets a context
  @Reaction('in')
  wrongParameter(_value: number): void {}

  // @ts-expect-error and returns nothing, or a promise of nothing
  @OnStart()
  wrongResult(): number {
    return 1;
  }

  // @ts-expect-error milliseconds are no span
  @OnTimer({ period: 10 })
  wrongPeriod(): void {}

  values(ctx: NodeContext): void {
    this.out.set(1);
    // @ts-expect-error a string is no number
    this.out.set('1');
    this.soon.schedule(span.ms(1), 1);
    this.bare.schedule(span.ms(1));
    // @ts-expect-error it carries a number
    this.soon.schedule(span.ms(1));
    // @ts-expect-error milliseconds are no span
    this.bare.schedule(5);
    this.door.schedule('in');
    // @ts-expect-error it carries a string
    this.door.schedule(1);
    ctx.schedule(span.ms(1), () => undefined);
    ctx.schedule(span.ms(1), this.soon, 2);
    // @ts-expect-error it carries a number
    ctx.schedule(span.ms(1), this.soon, '2');
    // @ts-expect-error only the outside schedules a physical action
    ctx.schedule(span.ms(1), this.door, 'x');
    // @ts-expect-error a value may be absent
    const value: number = this.in.value;
    void value;
    // @ts-expect-error a node only reads its inputs
    this.in.value = 5;
  }
}

describe('the types of decorators', () => {
  it('let through what is right, and say at run time what the compiler was told to overlook', () => {
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

  it('refuse an option that does not exist, as the decorators do at run time', () => {
    // @ts-expect-error there is no such option
    expect(() => Reaction('in', { read: ['in'] })).toThrow('Dataflow option `@Reaction.read` is');
  });
});
