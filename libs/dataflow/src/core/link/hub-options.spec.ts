import { assertHubOptions, assertPeerName } from './hub-options.js';
import type { EndpointIdentity } from './transport.js';

const identity: EndpointIdentity = { app: 'x', name: 'a', maxFrameBytes: 100 };

describe('hub options', () => {
  it.each<[string, Partial<EndpointIdentity>, string]>([
    ['an empty name', { name: '' }, 'identity.name'],
    ['a long name', { app: 'é'.repeat(101) }, 'identity.app'],
    ['an unpaired surrogate', { app: '\ud800' }, 'identity.app'],
    ['a line break in a name', { name: 'a\nb' }, 'identity.name'],
    ['an empty token', { token: '' }, 'identity.token'],
    ['frames without room for a payload', { maxFrameBytes: 25 }, 'identity.maxFrameBytes'],
    ['a fractional number of bytes', { maxFrameBytes: 100.5 }, 'identity.maxFrameBytes'],
    ['frames that are too long', { maxFrameBytes: 2 ** 31 }, 'identity.maxFrameBytes'],
  ])('reject %s', (_what, wrong, message) => {
    expect(() => assertHubOptions({ ...identity, ...wrong }, 1_000, 5_000)).toThrow(message);
  });

  it.each([
    ['a heartbeat of 0', 0, 5_000, 'heartbeatMs'],
    ['an infinite silence', 1_000, Infinity, 'silenceMs'],
    [
      'a silence below three heartbeats',
      1_000,
      2_999,
      '`silenceMs` is 2999, but must be at least 3 times heartbeatMs, which is 1000.',
    ],
  ])('reject %s', (_what, heartbeatMs, silenceMs, message) => {
    expect(() => assertHubOptions(identity, heartbeatMs, silenceMs)).toThrow(message);
  });

  it('accept all valid values', () => {
    const name = 'é'.repeat(100);

    expect(() => assertHubOptions({ app: name, name: 'a.* >', token: 't', maxFrameBytes: 26 }, 1, 3)).not.toThrow();
  });

  it('do not reveal an invalid token', () => {
    const token = 42 as unknown as string;

    expect(() => assertHubOptions({ ...identity, token }, 1_000, 5_000)).toThrow(
      "`identity.token` is 'number', but must be undefined or a non-empty string.",
    );
  });

  it('require a string as a name', () => {
    expect(() => assertPeerName(7, 'connect(peer)')).toThrow(
      '`connect(peer)` is 7, but must be a string of 1 to 200 bytes without control characters.',
    );
  });
});
