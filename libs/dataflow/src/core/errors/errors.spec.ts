import * as core from '../index.js';
import { InvalidConnectionError } from './invalid-connection.error.js';
import { InvalidDataflowOptionError } from './invalid-dataflow-option.error.js';

const tag = { time: 5, microstep: 0 };

describe('errors', () => {
  it.each<[core.DataflowError, string]>([
    [new core.AmbiguousMemberError('node', 'port'), 'DATAFLOW_AMBIGUOUS_MEMBER'],
    [new core.DataflowNotRunningError('ready'), 'DATAFLOW_NOT_RUNNING'],
    [new core.DoubleWriteError('node', 'port', tag), 'DATAFLOW_DOUBLE_WRITE'],
    [new core.DuplicateConnectionError('a.out', 'b.in'), 'DATAFLOW_DUPLICATE_CONNECTION'],
    [new core.DuplicateNodeError('node', 'A', 'B'), 'DATAFLOW_DUPLICATE_NODE'],
    [new core.FanInError('b.in', ['a.out', 'c.out']), 'DATAFLOW_FAN_IN'],
    [new core.GraphFailedError('node', 'reason', 3), 'DATAFLOW_GRAPH_FAILED'],
    [new core.InvalidConnectionError('an input', 5), 'DATAFLOW_INVALID_CONNECTION'],
    [new core.InvalidDataflowOptionError('fast', 5, 'true or false'), 'DATAFLOW_INVALID_OPTION'],
    [new core.NotANodeError(5), 'DATAFLOW_NOT_A_NODE'],
    [new core.OutsideTagError('node', 'writing "out"'), 'DATAFLOW_OUTSIDE_TAG'],
    [new core.ReactionAbortedError(), 'DATAFLOW_FORCED_STOP'],
    [new core.ReactionFailedError('node', 'run', tag, new Error('x')), 'DATAFLOW_REACTION_FAILED'],
    [new core.RecordingMismatchError('a', 'b'), 'DATAFLOW_RECORDING_MISMATCH'],
    [new core.StopForcedError('reason', 1), 'DATAFLOW_STOP_FORCED'],
    [new core.TardyInputError('a.out → b.in', tag, tag), 'DATAFLOW_TARDY_INPUT'],
    [new core.UndeclaredAccessError('node', 'run', 'in', 'reads'), 'DATAFLOW_UNDECLARED_ACCESS'],
    [new core.UnknownPortError('node', 'in', ['out']), 'DATAFLOW_UNKNOWN_PORT'],
    [new core.UnserialisablePayloadError('a.out', tag, 'it is a Date'), 'DATAFLOW_UNSERIALISABLE_PAYLOAD'],
    [new core.ZeroDelayCycleError(['a.run()', 'a.out', 'a.in', 'a.run()']), 'DATAFLOW_ZERO_DELAY_CYCLE'],
  ])('%s has its name and code', (error, code) => {
    expect(error).toBeInstanceOf(core.DataflowError);
    expect(error.name).toBe(error.constructor.name);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^\S.*\.$/);
  });

  it('shows what was given in one short line', () => {
    const given = { a: { b: 1 }, c: 'y'.repeat(500) };
    for (const { message } of [
      new InvalidDataflowOptionError('x', given, 'a number'),
      new InvalidConnectionError('an input', given),
    ]) {
      expect(message).not.toContain('\n');
      expect(message.length).toBeLessThan(320);
    }
    expect(new InvalidDataflowOptionError('x', 'text', 'a number').message).toBe(
      "Dataflow option `x` is 'text', but must be a number.",
    );
  });
});
