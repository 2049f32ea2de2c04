import { FakeServer } from '../fake-server.fixture.js';
import { isCountable } from './rpc-server.js';

describe('isCountable', () => {
  it('is a server that Nest calls hooks on', () => {
    expect(isCountable(new FakeServer())).toBe(true);
  });

  it.each(['setOnProcessingStartHook', 'setOnProcessingEndHook'])('is no strategy without %s', (method) => {
    expect(isCountable(Object.assign(new FakeServer(), { [method]: undefined }))).toBe(false);
  });
});
