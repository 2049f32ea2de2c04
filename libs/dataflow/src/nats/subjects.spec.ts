import fc from 'fast-check';
import { inboxOf, nameOf, senderOf, subjectOf, tokenOf } from './subjects.js';

/** Half of a surrogate pair is no name. */
const names = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).filter((name) => !/\p{Surrogate}/u.test(name));

describe('subjects', () => {
  it('carry any name in one token, and give it back', () => {
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

  it('leave plain names as they are', () => {
    expect(subjectOf('shop', 'cart-1', 'till_2')).toBe('roost.df.shop.cart-1.till_2');
    expect(inboxOf('shop', 'a.*')).toBe('roost.df.shop.a%2e%2a.*');
  });

  it.each(['%', '%zz', '%61', 'a b', '*'])('take %j for nobody', (token) => {
    expect(senderOf(`roost.df.shop.b.${token}`)).toBeUndefined();
  });
});
