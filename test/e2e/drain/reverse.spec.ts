import { ADVERSARIES } from './adversaries.js';
import { CASES } from './cases/index.js';
import type { DrainCase } from './drain-case.js';
import { inParallel } from './in-parallel.js';
import { MUTANTS } from './mutants/mutants.js';
import { Subject, type SubjectOptions } from './subject.js';
import { VARIANTS, type Variant } from './variants.js';

/** The first variant that the case applies to: Express over http, unless the case needs another one. */
const variantOf = (one: DrainCase): Variant | undefined => VARIANTS.find((variant) => one.appliesTo(variant));

const isStock = (adversary: string): boolean => adversary === 'stock';

/** The failure of the case against its adversary, or undefined if the case passes. */
async function failureOf(one: DrainCase, options: SubjectOptions): Promise<unknown> {
  const subject = new Subject(variantOf(one)!, options);
  try {
    await one.run(subject);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await subject.dispose();
  }
}

describe('every case can fail', () => {
  const rows = CASES.filter(variantOf).map((one) => ({ one, name: one.name, adversary: ADVERSARIES[one.name] ?? '' }));

  it.concurrent.each(rows)(
    'fails against $adversary: $name',
    async ({ one, adversary }) => {
      const options: SubjectOptions = isStock(adversary) ? { kind: 'stock' } : { mutant: adversary };
      const failure = await inParallel(() => failureOf(one, options));
      expect(failure).toBeDefined();
      // A mutant that no longer matches the code would fail every case.
      expect(String(failure)).not.toMatch(/there is no (mutant|method|\w+ in )/);
    },
    120_000,
  );
});

describe('table of adversaries', () => {
  it('has one for each case, and no other', () => {
    expect(Object.keys(ADVERSARIES).toSorted()).toEqual(CASES.map(({ name }) => name).toSorted());
  });

  it('uses every mutant', () => {
    const used = new Set(Object.values(ADVERSARIES).filter((adversary) => !isStock(adversary)));
    expect([...used].toSorted()).toEqual(Object.keys(MUTANTS).toSorted());
  });
});
