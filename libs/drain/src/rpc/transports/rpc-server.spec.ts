import { FakeServer } from '../fake-server.fixture.js';
import { isCountable } from './rpc-server.js';

describe('isCountable', () => {
  it('accepts a server whose hooks Nest calls', () => {
    expect(isCountable(new FakeServer())).toBe(true);
  });

  it.each(['setOnProcessingStartHook', 'setOnProcessingEndHook'])('rejects a strategy without %s', (method) => {
    expect(isCountable(Object.assign(new FakeServer(), { [method]: undefined }))).toBe(false);
  });
});
