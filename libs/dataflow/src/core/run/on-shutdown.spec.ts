import {
  DataflowNode,
  Input,
  InputPort,
  type NodeContext,
  OnShutdown,
  OnTimer,
  Output,
  OutputPort,
  Reaction,
  span,
} from '../index.js';
import { at, deferred, Recorder, runAlone, setup } from './graph.fixture.js';

@DataflowNode()
class Ticker {
  @Output() out!: OutputPort<number>;
  @OnTimer({ period: span.ms(1) }) tick({ now }: NodeContext): void {
    this.out.set(now.time);
  }
}

describe('@OnShutdown', () => {
  it('may write declared outputs, and the values arrive', async () => {
    @DataflowNode()
    class Last {
      @Output() out!: OutputPort<string>;
      @OnShutdown({ writes: ['out'] }) end(): void {
        this.out.set('bye');
      }
    }
    const { dataflow } = setup((g) => g.connect(g.node(Last).out, g.node(Recorder).in));
    expect(await dataflow.run()).toMatchObject({ status: 'completed' });
    expect(dataflow.node<Recorder>('recorder')!.seen).toEqual([[0, 1, 'bye']]);
  });

  it('must not write undeclared outputs', async () => {
    @DataflowNode()
    class Last {
      @Output() out!: OutputPort<string>;
      @OnShutdown() end(): void {
        this.out.set('bye');
      }
    }
    expect((await runAlone(Last)).report.error).toMatchObject({ code: 'DATAFLOW_UNDECLARED_ACCESS' });
  });

  it('drops values over a delayed connection, because no tag follows', async () => {
    @DataflowNode()
    class Last {
      @Output() out!: OutputPort<string>;
      @OnShutdown({ writes: ['out'] }) end(ctx: NodeContext): void {
        this.out.set('bye');
        ctx.schedule(span.ns(0), () => ctx.fail('never'));
      }
    }
    const { dataflow } = setup((g) => g.connect(g.node(Last).out, g.node(Recorder).in, { after: span.ns(0) }));
    expect(await dataflow.run()).toMatchObject({ status: 'completed', stopTag: at(0, 1) });
    expect(dataflow.node<Recorder>('recorder')!.seen).toEqual([]);
  });

  it('is awaited, and runs at the same tag in all nodes', async () => {
    const gate = deferred();
    const ended: string[] = [];
    @DataflowNode()
    class Ends {
      @OnShutdown() async end({ node, now }: NodeContext): Promise<void> {
        if (node === 'a') await gate.promise;
        ended.push(`${node} ${now.time}.${now.microstep}`);
      }
    }
    const { dataflow, settle } = setup((g) => {
      g.node(Ends, { name: 'a' });
      g.node(Ends, { name: 'b' });
    });
    const run = dataflow.run();
    await settle();
    expect([ended, dataflow.state]).toEqual([['b 0.1'], 'running']);
    gate.resolve();
    await run;
    expect(ended).toEqual(['b 0.1', 'a 0.1']);
  });

  it('runs after inputs that arrive at the last tag, wherever it is declared', async () => {
    const order: string[] = [];
    @DataflowNode()
    class Sink {
      @Input() in!: InputPort<number>;
      @OnShutdown() end(): void {
        order.push('shutdown');
      }
      @Reaction('in') take(): void {
        order.push('input');
      }
    }
    const { dataflow } = setup((g) => g.connect(g.node(Ticker).out, g.node(Sink).in), { timeout: span.ns(0) });
    await dataflow.run();
    expect(order).toEqual(['input', 'shutdown']);
  });
});
