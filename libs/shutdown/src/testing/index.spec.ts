import * as testing from './index.js';

it('exports these names', () => {
  expect(Object.keys(testing).sort()).toEqual(['FakeProcess', 'FakeStream', 'TestApps']);
});
