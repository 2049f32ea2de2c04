import fc from 'fast-check';
import { HandshakeRefusedError } from '../errors/handshake-refused.error.js';
import { MalformedFrameError } from '../errors/malformed-frame.error.js';
import type { EndpointIdentity } from '../transport.js';
import { Acceptor, Dialler, MAX_HANDSHAKE_BYTES } from './handshake.js';

const SECRET = 'correct horse';
const identity = (name: string, more: Partial<EndpointIdentity> = {}): EndpointIdentity => ({
  app: 'shop',
  name,
  token: SECRET,
  maxFrameBytes: 1_000,
  ...more,
});

/** Runs all three frames of a handshake between a dialler and an acceptor. */
function shake(dialler = new Dialler(identity('a'), 'b'), acceptor = new Acceptor(identity('b'), '10.0.0.9:5')) {
  const judged = acceptor.judge(dialler.hello(acceptor.challenge()));
  return { ...judged, check: () => dialler.check(judged.verdict) };
}

const refusalBy = (check: () => void): unknown => {
  try {
    return check();
  } catch (error) {
    return error instanceof HandshakeRefusedError ? error.reason : error;
  }
};

describe('handshake', () => {
  it.each([
    ['with a token', SECRET],
    ['without a token', undefined],
  ])('authenticates both sides, %s', (_how, token) => {
    const dialler = new Dialler({ app: 'shop', name: 'a', maxFrameBytes: 1, ...(token && { token }) }, 'b');
    const acceptor = new Acceptor({ app: 'shop', name: 'b', maxFrameBytes: 1, ...(token && { token }) }, 'x');

    const { peer, refused, check } = shake(dialler, acceptor);

    expect([peer, refused]).toEqual(['a', undefined]);
    expect(check).not.toThrow();
  });

  it.each([
    ['another token', new Dialler(identity('a', { token: 'guess' }), 'b'), 'token'],
    ['another token and another app', new Dialler(identity('a', { token: 'guess', app: 'bank' }), 'b'), 'token'],
    ['another app', new Dialler(identity('a', { app: 'bank' }), 'b'), 'app'],
    ['the name of another process', new Dialler(identity('a'), 'c'), 'name'],
    ['the name of the acceptor', new Dialler(identity('b'), 'b'), 'name'],
  ])('refuses a dialler with %s, and reports the reason on both sides', (_what, dialler, reason) => {
    const { peer, refused, check } = shake(dialler);

    expect(peer).toBeUndefined();
    expect(refused).toMatchObject({ code: 'DATAFLOW_HANDSHAKE_REFUSED', peer: '10.0.0.9:5', reason });
    expect(refusalBy(check)).toBe(reason);
  });

  it('refuses an acceptor without the token', () => {
    const { verdict } = shake();
    verdict.fill(0, 6);

    const dialler = new Dialler(identity('a'), 'b');
    dialler.hello(new Acceptor(identity('b'), 'x').challenge());

    expect(refusalBy(() => dialler.check(verdict))).toBe('token');
  });

  it('refuses a hello recorded on another connection', () => {
    const recorded = new Dialler(identity('a'), 'b').hello(new Acceptor(identity('b'), 'x').challenge());

    expect(new Acceptor(identity('b'), 'x').judge(recorded).refused).toMatchObject({ reason: 'token' });
  });

  it('refuses another version', () => {
    const acceptor = new Acceptor(identity('b'), 'x');
    const challenge = acceptor.challenge();
    const hello = new Dialler(identity('a'), 'b').hello(challenge);
    hello[4] = challenge[4] = 9;

    expect(acceptor.judge(hello).refused).toMatchObject({ reason: 'version' });
    expect(refusalBy(() => new Dialler(identity('a'), 'b').hello(challenge))).toBe('version');
  });

  it('never reveals the token', () => {
    const acceptor = new Acceptor(identity('b'), 'x');
    const dialler = new Dialler(identity('a'), 'b');
    const challenge = acceptor.challenge();
    const hello = dialler.hello(challenge);
    const wrong = new Acceptor(identity('b', { token: 'other' }), 'x').judge(hello);

    const shown = [challenge, hello, acceptor.judge(hello).verdict].map(String).join('') + wrong.refused!.message;

    expect(shown).not.toContain(SECRET);
    expect(shown).toContain('shop');
  });

  it('fits into the limit for unidentified clients', () => {
    const long = 'n'.repeat(200);
    const hello = new Dialler(identity(long, { app: long }), `${long.slice(1)}m`).hello(
      new Acceptor(identity('b'), 'x').challenge(),
    );

    expect(hello.length).toBeLessThanOrEqual(MAX_HANDSHAKE_BYTES);
  });

  it('refuses any other bytes', () => {
    const { verdict } = shake();
    const hello = new Dialler(identity('a'), 'b').hello(new Acceptor(identity('b'), 'x').challenge());
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      // Frames with a valid beginning.
      fc.nat({ max: hello.length - 1 }).map((end) => hello.subarray(0, end)),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.concat([hello.subarray(0, 5), bytes])),
      fc.uint8Array({ minLength: 1, maxLength: 9 }).map((bytes) => Buffer.concat([hello, bytes])),
      fc.nat({ max: verdict.length - 1 }).map((end) => verdict.subarray(0, end)),
    );
    fc.assert(
      fc.property(noise, (bytes) => {
        const outcome = (judge: () => unknown): unknown => {
          try {
            return judge();
          } catch (error) {
            return error;
          }
        };
        const judged = outcome(() => new Acceptor(identity('b'), 'x').judge(bytes));
        if (!(judged instanceof MalformedFrameError)) expect(judged).not.toHaveProperty('peer');

        const dialler = new Dialler(identity('a'), 'b');
        dialler.hello(new Acceptor(identity('b'), 'x').challenge());
        for (const error of [outcome(() => dialler.check(bytes)), outcome(() => dialler.hello(hello))]) {
          expect([MalformedFrameError, HandshakeRefusedError]).toContain((error as Error).constructor);
        }
      }),
    );
  });
});
