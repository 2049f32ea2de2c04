import * as testing from './index.js';

it('exports these names', () => {
  expect(Object.keys(testing)).toEqual(['MemoryNetwork']);
});
