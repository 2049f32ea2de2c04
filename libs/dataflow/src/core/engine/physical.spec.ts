import {
  DataflowNode,
  type DataflowOptions,
  Input,
  InputPort,
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
import { at, type Deferred, deferred, setup } from '../run/graph.fixture.js';

@DataflowNode()
class Door {
  @PhysicalAction() opens!: PhysicalAction<string>;
  readonly seen: [number, number, string | undefined][] = [];
  gate: Deferred<void> | undefined;

  @Reaction('opens')
  look({ now }: NodeContext): void | Promise<void> {
    this.seen.push([now.time, now.microstep, this.opens.isPresent ? this.opens.value : undefined]);
    return this.gate?.promise;
  }
}

const openDoor = (options: Partial<DataflowOptions> = {}) => {
  const fixture = setup((g) => g.node(Door), { fast: false, ...options });
  const run = fixture.dataflow.run();
  return { ...fixture, run, door: fixture.dataflow.node<Door>('door')! };
};

describe('a physical action', () => {
  it('gets the time on the clock as its tag', async () => {
    const { clock, door, run } = openDoor();
    await clock.advanceAsync(2.5);
    expect(door.opens.schedule('a')).toBe(true);
    await clock.advanceAsync(1);
    door.opens.schedule('b');
    door.opens.close();
    expect(await run).toMatchObject({ status: 'completed', stopTag: at(span.ms(3.5), 1) });
    expect(door.seen).toEqual([
      [span.ms(2.5), 0, 'a'],
      [span.ms(3.5), 0, 'b'],
    ]);
  });

  it('gets further microsteps when the clock stands still', async () => {
    const { clock, door, run } = openDoor();
    await clock.advanceAsync(1);
    for (const value of ['a', 'b', 'c']) door.opens.schedule(value);
    door.opens.close();
    await run;
    expect(door.seen).toEqual([
      [span.ms(1), 0, 'a'],
      [span.ms(1), 1, 'b'],
      [span.ms(1), 2, 'c'],
    ]);
  });

  it('never gets a tag that has begun', async () => {
    const { clock, door, run, settle } = openDoor();
    await clock.advanceAsync(1);
    door.gate = deferred();
    door.opens.schedule('a');
    await settle();
    door.opens.schedule('b');
    door.opens.close();
    door.gate.resolve();
    await run;
    expect(door.seen).toEqual([
      [span.ms(1), 0, 'a'],
      [span.ms(1), 1, 'b'],
    ]);
  });

  it('follows logical time when it is ahead of the clock', async () => {
    @DataflowNode()
    class Ahead extends Door {
      @OnTimer({ offset: span.ms(50) }) later(): void {
        this.opens.schedule('from a reaction');
        this.opens.close();
      }
    }
    const { dataflow } = setup((g) => g.node(Ahead));
    await dataflow.run();
    expect(dataflow.node<Ahead>('ahead')!.seen).toEqual([[span.ms(50), 1, 'from a reaction']]);
  });

  it('is not accepted before the run, when closed, and after the end', async () => {
    const { dataflow } = setup((g) => g.node(Door));
    dataflow.describe();
    const door = dataflow.node<Door>('door')!;
    expect(door.opens.schedule('too early')).toBe(false);
    const run = dataflow.run();
    expect(door.opens.schedule('in time')).toBe(true);
    door.opens.close();
    door.opens.close();
    expect(door.opens.schedule('closed')).toBe(false);
    await run;
    expect(door.opens.schedule('too late')).toBe(false);
    expect(door.seen.map(([, , value]) => value)).toEqual(['in time']);
  });

  it('is handled once accepted, even if a stop has been requested', async () => {
    const { clock, dataflow, door, run, settle } = openDoor();
    door.gate = deferred();
    await clock.advanceAsync(1);
    door.opens.schedule('held');
    await settle();
    await clock.advanceAsync(9);
    expect(door.opens.schedule('accepted')).toBe(true);
    const grant = await dataflow.requestShutdown();
    expect(grant).toEqual({ stopTag: at(span.ms(10)), asAsked: false });
    door.gate.resolve();
    expect(await run).toMatchObject({ status: 'stopped', stopTag: at(span.ms(10)) });
    expect(door.seen.at(-1)).toEqual([span.ms(10), 0, 'accepted']);
  });

  it('is not accepted after the decided stop tag', async () => {
    const { clock, dataflow, door, run } = openDoor();
    await clock.advanceAsync(1);
    door.opens.schedule('a');
    await clock.advanceAsync(4);
    const stopping = dataflow.requestShutdown();
    expect(door.opens.schedule('too late')).toBe(false);
    expect(await stopping).toMatchObject({ stopTag: at(span.ms(1), 1) });
    expect(await run).toMatchObject({ status: 'stopped', stopTag: at(span.ms(1), 1) });
    expect(door.seen).toHaveLength(1);
  });

  it('is not accepted after a planned stop when the graph lags behind the clock', async () => {
    const { clock, door, run } = openDoor({ timeout: span.ms(10) });
    await clock.advanceAsync(1);
    door.gate = deferred();
    door.opens.schedule('holds on');
    await clock.advanceAsync(11);
    expect(door.opens.schedule('too late')).toBe(false);
    door.gate.resolve();
    expect(await run).toMatchObject({ status: 'stopped', stopTag: at(span.ms(10)) });
  });

  it('is accepted at the stop tag itself, but only once', async () => {
    const { clock, door, run, settle } = openDoor({ timeout: span.ms(10) });
    door.gate = deferred();
    door.opens.schedule('holds on');
    await settle();
    await clock.advanceAsync(10);
    const answers = ['first', 'second'].map((value) => door.opens.schedule(value));
    door.gate.resolve();
    expect(await run).toMatchObject({ stopTag: at(span.ms(10)) });
    expect(answers).toEqual([true, false]);
    expect(door.seen.map(([, , value]) => value)).toEqual(['holds on', 'first']);
  });

  it('is not accepted during shutdown', async () => {
    let answer: boolean | undefined;
    @DataflowNode()
    class Last extends Door {
      @OnShutdown() end(): void {
        answer = this.opens.schedule('last words');
      }
    }
    const { dataflow } = setup((g) => g.node(Last), { timeout: span.ms(1) });
    await dataflow.run();
    expect(answer).toBe(false);
  });

  it('keeps a graph running while it is open, without a timer or a message', async () => {
    const { clock, dataflow, door, run } = openDoor();
    await clock.advanceAsync(60_000);
    expect([dataflow.state, clock.pendingTimers]).toEqual(['running', 0]);
    door.opens.close();
    expect((await run).status).toBe('completed');
  });

  it('can be closed by a reaction', async () => {
    @DataflowNode()
    class Closes extends Door {
      @OnStart() begin(): void {
        this.opens.schedule('only');
        this.opens.close();
      }
    }
    const { dataflow } = setup((g) => g.node(Closes));
    expect(await dataflow.run()).toMatchObject({ status: 'completed' });
    expect(dataflow.node<Closes>('closes')!.seen).toEqual([[0, 1, 'only']]);
  });
});

describe('a physical connection', () => {
  @DataflowNode()
  class Source {
    @Output() out!: OutputPort<number>;
    @OnTimer({ period: span.ms(10) }) tick({ now }: NodeContext): void {
      this.out.set(now.time / 1e6);
    }
  }
  @DataflowNode()
  class Sink {
    @Input() in!: InputPort<number>;
    @Input() other!: InputPort<number>;
    readonly seen: [number, number, number | undefined][] = [];
    @Reaction('in') take({ now }: NodeContext): void {
      this.seen.push([now.time, now.microstep, this.in.value]);
    }
  }

  const connected = (options: Partial<DataflowOptions>) => {
    const fixture = setup((g) => g.connectPhysical(g.node(Source).out, g.node(Sink).in), options);
    const run = fixture.dataflow.run();
    return { ...fixture, run, sink: fixture.dataflow.node<Sink>('sink')! };
  };

  it('delivers values at their arrival on the clock', async () => {
    const { clock, run, sink } = connected({ fast: false, timeout: span.ms(25) });
    await clock.advanceAsync(30);
    await run;
    expect(sink.seen).toEqual([
      [0, 1, 0],
      [span.ms(10), 1, 10],
      [span.ms(20), 1, 20],
    ]);
  });

  it('delivers values later when the clock is ahead', async () => {
    @DataflowNode({ name: 'source' })
    class Slow {
      @Output() out!: OutputPort<number>;
      @OnStart() async begin(): Promise<void> {
        await slow.promise;
        this.out.set(1);
      }
    }
    const slow = deferred();
    const { dataflow, clock } = setup((g) => g.connectPhysical(g.node(Slow).out, g.node(Sink).in), { fast: false });
    const run = dataflow.run();
    await clock.advanceAsync(7);
    slow.resolve();
    await run;
    expect(dataflow.node<Sink>('sink')!.seen).toEqual([[span.ms(7), 0, 1]]);
  });

  it('drops values that arrive at the stop, and logs that once', async () => {
    const { logger, run, sink } = connected({ timeout: span.ms(20) });
    await run;
    expect(sink.seen).toEqual([
      [0, 1, 0],
      [span.ms(10), 1, 10],
    ]);
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]).toContain(
      'warn: dropped a message over a physical connection to sink.in, because the run is stopping',
    );
  });

  it('drops values that would arrive after a planned stop', async () => {
    @DataflowNode({ name: 'source' })
    class Busy {
      @Output() out!: OutputPort<number>;
      @OnTimer({ period: span.ms(5) }) async tick({ now }: NodeContext): Promise<void> {
        if (now.time === span.toNs(span.ms(5))) await slow.promise;
        this.out.set(now.time / 1e6);
      }
    }
    const slow = deferred();
    const { dataflow, clock, logger } = setup((g) => g.connectPhysical(g.node(Busy).out, g.node(Sink).in), {
      fast: false,
      timeout: span.ms(12),
    });
    const run = dataflow.run();
    await clock.advanceAsync(20);
    slow.resolve();
    expect(await run).toMatchObject({ stopTag: at(span.ms(12)) });
    expect(dataflow.node<Sink>('sink')!.seen).toEqual([[0, 1, 0]]);
    expect(logger.of('warn')).toContainEqual(expect.stringContaining('sink.in, because the run is stopping'));
  });

  it('does not keep a graph from completing', async () => {
    @DataflowNode({ name: 'source' })
    class Once {
      @Output() out!: OutputPort<number>;
      @OnStart() begin(): void {
        this.out.set(1);
      }
    }
    const { dataflow } = setup((g) => g.connectPhysical(g.node(Once).out, g.node(Sink).in));
    expect(await dataflow.run()).toMatchObject({ status: 'completed', stopTag: at(0, 2) });
    expect(dataflow.node<Sink>('sink')!.seen).toEqual([[0, 1, 1]]);
  });
});
