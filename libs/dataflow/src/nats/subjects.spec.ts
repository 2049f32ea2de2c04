import fc from 'fast-check';
import { inboxOf, nameOf, senderOf, subjectOf, tokenOf } from './subjects.js';

/** An unpaired surrogate is not a valid name. */
const names = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter((name) => !/\p{Surrogate}/u.test(name));

describe('subjects', () => {
  it('encode any name in one token, and decode it', () => {
    fc.assert(
      fc.property(names, names, names, (app, to, from) => {
        const subject = subjectOf(app, to, from);

        expect(subject).toMatch(/^roost\.df\.[^.*>\s]+\.[^.*>\s]+\.[^.*>\s]+$/);
        expect(senderOf(subject)).toBe(from);
        expect(nameOf(tokenOf(to))).toBe(to);
        expect(subject.startsWith(inboxOf(app, to).slice(0, -1))).toBe(true);
      }),
    );
  });

  it('keep plain names unchanged', () => {
    expect(subjectOf('shop', 'cart-1', 'till_2')).toBe('roost.df.shop.cart-1.till_2');
    expect(inboxOf('shop', 'a.*')).toBe('roost.df.shop.a%2e%2a.*');
  });

  it.each(['%', '%zz', '%61', 'a b', '*'])('reject the token %j', (token) => {
    expect(senderOf(`roost.df.shop.b.${token}`)).toBeUndefined();
  });
});
