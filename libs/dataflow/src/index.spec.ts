import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as core from './core/index.js';
import { DataflowNotBootedError } from './errors/dataflow-not-booted.error.js';
import { DataflowShutdownMissingError } from './errors/dataflow-shutdown-missing.error.js';
import { DuplicateNodeProviderError } from './errors/duplicate-node-provider.error.js';
import { NodeNotProvidedError } from './errors/node-not-provided.error.js';
import { RequestScopedNodeError } from './errors/request-scoped-node.error.js';
import { SharedNodeInstanceError } from './errors/shared-node-instance.error.js';
import * as api from './index.js';

const SURFACE = [
  'DEFAULT_DATAFLOW_MODULE_OPTIONS',
  'DataflowEndedReason',
  'DataflowModule',
  'DataflowRefusedError',
  'DataflowServer',
  'dataflowMicroservice',
  'launchDataflow',
];

describe('@roost/dataflow', () => {
  it('exports all of @roost/dataflow/core, these names and no others', () => {
    expect(Object.keys(api).sort()).toEqual([...Object.keys(core), ...SURFACE].sort());
  });

  it('exports at most 90 names, types included', () => {
    const named = (file: string): string[] =>
      [...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/\{([^}]*)\}/g)].flatMap(([, names = '']) =>
        names
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean),
      );
    const names = new Set([...named('index.ts'), ...named('core/index.ts')]);
    expect(names).toContain('DataflowReport');
    expect(names.size).toBeGreaterThanOrEqual(Object.keys(api).length);
    expect(names.size).toBeLessThanOrEqual(90);
  });

  it('re-exports every name of core unchanged', () => {
    const own = Object.entries(core).filter(([name, value]) => api[name as keyof typeof core] !== value);
    expect(own.map(([name]) => name)).toEqual([]);
  });

  it('derives every error from one base class', () => {
    const errors = Object.entries(api).filter(([name]) => name.endsWith('Error') && name !== 'DataflowError');
    expect(errors.length).toBeGreaterThan(10);
    for (const [, error] of errors) {
      expect((error as unknown as { prototype: unknown }).prototype).toBeInstanceOf(api.DataflowError);
    }
  });
});

describe('errors of the Nest surface', () => {
  it.each([
    [new DataflowNotBootedError(), 'DATAFLOW_NOT_BOOTED'],
    [new api.DataflowRefusedError('process-terminate (SIGTERM)'), 'DATAFLOW_REFUSED'],
    [new DataflowShutdownMissingError(), 'DATAFLOW_SHUTDOWN_MISSING'],
    [new api.DataflowStuckError(['sink'], 5, 'waiting for sink.take()'), 'DATAFLOW_STUCK'],
    [new DuplicateNodeProviderError('sink', 'Sink', ['A', 'B']), 'DATAFLOW_DUPLICATE_NODE_PROVIDER'],
    [new NodeNotProvidedError('sink', 'Sink'), 'DATAFLOW_NODE_NOT_PROVIDED'],
    [new RequestScopedNodeError('sink', 'Sink'), 'DATAFLOW_REQUEST_SCOPED_NODE'],
    [new SharedNodeInstanceError(['a', 'b'], 'Sink'), 'DATAFLOW_SHARED_NODE_INSTANCE'],
  ])('%s has its name and code', (error, code) => {
    expect(error.name).toBe(error.constructor.name);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^\S.*\. \(https:\/\/\S+\)$/);
  });
});
