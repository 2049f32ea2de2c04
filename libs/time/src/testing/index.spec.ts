import * as api from './index.js';

describe('@roost/time/testing', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(api)).toEqual(['ManualClock']);
  });
});
