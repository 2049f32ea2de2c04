import { CASES } from './cases/index.js';
import { inParallel } from './in-parallel.js';
import { Subject } from './subject.js';
import { VARIANTS } from './variants.js';

describe.each(VARIANTS)('$adapter over $scheme during shutdown', (variant) => {
  const cases = CASES.filter((one) => one.appliesTo(variant));

  it.concurrent.each(cases)(
    '$name',
    ({ run }) =>
      inParallel(async () => {
        const subject = new Subject(variant);
        try {
          await run(subject);
        } finally {
          await subject.dispose();
        }
      }),
    120_000,
  );
});

describe('table of cases', () => {
  it('contains no duplicate name, and a variant for each case', () => {
    expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
    expect(CASES.filter((one) => !VARIANTS.some((variant) => one.appliesTo(variant)))).toEqual([]);
  });
});
