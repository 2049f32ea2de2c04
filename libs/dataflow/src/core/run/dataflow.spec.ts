import { Dataflow, span } from '../index.js';
import { diamond, type Sink } from './diamond.fixture.js';

describe('Dataflow', () => {
  it('joins both branches of a diamond once per tag', async () => {
    const dataflow = new Dataflow({ graph: diamond, fast: true, timeout: span.ms(9) });
    const report = await dataflow.run();
    const sink = dataflow.node<Sink>('sink')!;
    expect(sink.seen).toEqual(Array.from({ length: 10 }, (_, i) => [i + 1, 2 * i + 2]));
    expect(report).toMatchObject({ status: 'stopped', exitCode: 0, stopTag: { time: span.ms(9), microstep: 0 } });
    expect(sink.stopped).toBe('{"time":9000000,"microstep":0}');
  });
});
