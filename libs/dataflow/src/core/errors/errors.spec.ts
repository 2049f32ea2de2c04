import { AmbiguousMemberError } from './ambiguous-member.error.js';
import { DataflowNotRunningError } from './dataflow-not-running.error.js';
import { DataflowError } from './dataflow.error.js';
import { DoubleWriteError } from './double-write.error.js';
import { DuplicateConnectionError } from './duplicate-connection.error.js';
import { DuplicateNodeError } from './duplicate-node.error.js';
import { FanInError } from './fan-in.error.js';
import { GraphFailedError } from './graph-failed.error.js';
import { InvalidConnectionError } from './invalid-connection.error.js';
import { InvalidDataflowOptionError } from './invalid-dataflow-option.error.js';
import { NotANodeError } from './not-a-node.error.js';
import { OutsideTagError } from './outside-tag.error.js';
import { ReactionAbortedError } from './reaction-aborted.error.js';
import { ReactionFailedError } from './reaction-failed.error.js';
import { RecordingMismatchError } from './recording-mismatch.error.js';
import { StopForcedError } from './stop-forced.error.js';
import { TardyInputError } from './tardy-input.error.js';
import { UndeclaredAccessError } from './undeclared-access.error.js';
import { UnknownPortError } from './unknown-port.error.js';
import { UnserialisablePayloadError } from './unserialisable-payload.error.js';
import { ZeroDelayCycleError } from './zero-delay-cycle.error.js';

const tag = { time: 5, microstep: 0 };

describe('errors', () => {
  it.each<[DataflowError, string]>([
    [new AmbiguousMemberError('node', 'port'), 'DATAFLOW_AMBIGUOUS_MEMBER'],
    [new DataflowNotRunningError('ready'), 'DATAFLOW_NOT_RUNNING'],
    [new DoubleWriteError('node', 'port', tag), 'DATAFLOW_DOUBLE_WRITE'],
    [new DuplicateConnectionError('a.out', 'b.in'), 'DATAFLOW_DUPLICATE_CONNECTION'],
    [new DuplicateNodeError('node', 'A', 'B'), 'DATAFLOW_DUPLICATE_NODE'],
    [new FanInError('b.in', ['a.out', 'c.out']), 'DATAFLOW_FAN_IN'],
    [new GraphFailedError('node', 'reason', 3), 'DATAFLOW_GRAPH_FAILED'],
    [new InvalidConnectionError('an input', 5), 'DATAFLOW_INVALID_CONNECTION'],
    [new InvalidDataflowOptionError('fast', 5, 'true or false'), 'DATAFLOW_INVALID_OPTION'],
    [new NotANodeError(5), 'DATAFLOW_NOT_A_NODE'],
    [new OutsideTagError('node', 'writing "out"'), 'DATAFLOW_OUTSIDE_TAG'],
    [new ReactionAbortedError(), 'DATAFLOW_FORCED_STOP'],
    [new ReactionFailedError('node', 'run', tag, new Error('x')), 'DATAFLOW_REACTION_FAILED'],
    [new RecordingMismatchError('a', 'b'), 'DATAFLOW_RECORDING_MISMATCH'],
    [new StopForcedError('reason', 1), 'DATAFLOW_STOP_FORCED'],
    [new TardyInputError('a.out → b.in', tag, tag), 'DATAFLOW_TARDY_INPUT'],
    [new UndeclaredAccessError('node', 'run', 'in', 'reads'), 'DATAFLOW_UNDECLARED_ACCESS'],
    [new UnknownPortError('node', 'in', ['out']), 'DATAFLOW_UNKNOWN_PORT'],
    [new UnserialisablePayloadError('a.out', tag, 'it is a Date'), 'DATAFLOW_UNSERIALISABLE_PAYLOAD'],
    [new ZeroDelayCycleError(['a.run()', 'a.out', 'a.in', 'a.run()']), 'DATAFLOW_ZERO_DELAY_CYCLE'],
  ])('%s has its name and code', (error, code) => {
    expect(error).toBeInstanceOf(DataflowError);
    expect(error.name).toBe(error.constructor.name);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^\S.*\. \(https:\/\/\S+\)$/);
  });

  it('shows the given value in one short line', () => {
    const given = { a: { b: 1 }, c: 'y'.repeat(500) };
    for (const { message } of [
      new InvalidDataflowOptionError('x', given, 'a number'),
      new InvalidConnectionError('an input', given),
    ]) {
      expect(message).not.toContain('\n');
      expect(message.length).toBeLessThan(320);
    }
    expect(new InvalidDataflowOptionError('x', 'text', 'a number').message).toContain(
      "Dataflow option `x` is 'text', but must be a number.",
    );
  });
});
