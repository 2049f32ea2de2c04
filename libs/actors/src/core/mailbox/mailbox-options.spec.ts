import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { bounded, Overflow, priority, unbounded } from './mailbox-options.js';

describe('bounded()', () => {
  it.each([0, -1, 1.5, NaN, Infinity, 2 ** 31, '5', null, undefined])('rejects a capacity of %p', (bad) => {
    expect(() => bounded(bad as number)).toThrow(InvalidActorOptionError);
  });

  it.each(['drop', null, 0])('rejects %p as the overflow policy', (bad) => {
    expect(() => bounded(1, bad as unknown as Overflow)).toThrow(
      'one of drop-newest, drop-oldest, backpressure, throw',
    );
  });

  it('drops the newest message by default', () => {
    expect(bounded(3)).toMatchObject({ capacity: 3, overflow: Overflow.DropNewest });
  });
});

describe('priority()', () => {
  it.each([undefined, 5, {}])('rejects %p as the function', (bad) => {
    expect(() => priority(bad as never)).toThrow(InvalidActorOptionError);
  });
});

describe('unbounded()', () => {
  it('creates a separate mailbox for every actor', () => {
    const mailbox = unbounded().create();
    mailbox.push(1, undefined);

    expect(unbounded().create().size).toBe(0);
  });
});
