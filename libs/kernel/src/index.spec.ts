import * as kernel from './index.js';

it('exports these names', () => {
  expect(Object.keys(kernel).sort()).toEqual([
    'MAX_TIMEOUT_MS',
    'MissingMethodError',
    'RoostError',
    'SERVE_WHILE_DRAINING',
    'consoleLogger',
    'counted',
    'deferred',
    'describeValue',
    'guardedLogger',
    'invalidOptionText',
    'isThenable',
    'kebabCase',
    'messageOf',
    'optionChecks',
    'override',
    'overrideListeners',
    'stackOf',
    'textOf',
    'withoutUndefined',
  ]);
});
