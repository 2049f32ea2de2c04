import * as core from './core/index.js';
import * as api from './index.js';

const SURFACE = [
  'DEFAULT_DATAFLOW_MODULE_OPTIONS',
  'DataflowEndedReason',
  'DataflowModule',
  'DataflowNotBootedError',
  'DataflowRefusedError',
  'DataflowServer',
  'DataflowShutdownMissingError',
  'DuplicateNodeProviderError',
  'NodeNotProvidedError',
  'RequestScopedNodeError',
  'SharedNodeInstanceError',
  'dataflowMicroservice',
  'launchDataflow',
];

describe('@roost/dataflow', () => {
  it('exports all of @roost/dataflow/core, these names and no others', () => {
    expect(Object.keys(api).sort()).toEqual([...Object.keys(core), ...SURFACE].sort());
  });

  it('has every name of core mean the same', () => {
    const own = Object.entries(core).filter(([name, value]) => api[name as keyof typeof core] !== value);
    expect(own.map(([name]) => name)).toEqual([]);
  });

  it('has one base class for every error, which has the name of its class', () => {
    const errors = Object.entries(api).filter(([name]) => name.endsWith('Error') && name !== 'DataflowError');
    expect(errors.length).toBeGreaterThan(25);
    for (const [, error] of errors) {
      expect((error as unknown as { prototype: unknown }).prototype).toBeInstanceOf(api.DataflowError);
    }
  });
});

describe('errors of the Nest surface', () => {
  it.each([
    [new api.DataflowNotBootedError(), 'DATAFLOW_NOT_BOOTED'],
    [new api.DataflowRefusedError('process-terminate (SIGTERM)'), 'DATAFLOW_REFUSED'],
    [new api.DataflowShutdownMissingError(), 'DATAFLOW_SHUTDOWN_MISSING'],
    [new api.DataflowStuckError(['sink'], 5, 'waiting for sink.take()'), 'DATAFLOW_STUCK'],
    [new api.DuplicateNodeProviderError('sink', 'Sink', ['A', 'B']), 'DATAFLOW_DUPLICATE_NODE_PROVIDER'],
    [new api.NodeNotProvidedError('sink', 'Sink'), 'DATAFLOW_NODE_NOT_PROVIDED'],
    [new api.RequestScopedNodeError('sink', 'Sink'), 'DATAFLOW_REQUEST_SCOPED_NODE'],
    [new api.SharedNodeInstanceError(['a', 'b'], 'Sink'), 'DATAFLOW_SHARED_NODE_INSTANCE'],
  ])('%s has its name and code', (error, code) => {
    expect(error.name).toBe(error.constructor.name);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^\S.*\.$/);
  });
});
