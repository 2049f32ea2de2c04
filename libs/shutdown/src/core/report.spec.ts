import { errorReport, isBad } from './report.js';

describe('errorReport', () => {
  const hostile = Object.defineProperty(new Error('x'), 'code', {
    get: () => {
      throw new Error('no code for you');
    },
  });

  it.each<[string, unknown, object]>([
    ['an error', new Error('bad'), { message: 'bad' }],
    [
      'an error with a code',
      Object.assign(new Error('gone'), { code: 'ECONNRESET' }),
      { code: 'ECONNRESET', message: 'gone' },
    ],
    ['an error with a numeric code', Object.assign(new Error('gone'), { code: 42 }), { message: 'gone' }],
    ['an error whose code throws', hostile, { message: 'x' }],
    ['a text', 'bad', { message: 'bad' }],
    ['undefined', undefined, { message: 'undefined' }],
    ['a value that cannot be printed', Object.create(null), { message: 'a value that cannot be printed' }],
  ])('returns plain JSON for %s', (_, error, expected) => {
    expect(errorReport(error)).toStrictEqual(expected);
    expect(JSON.parse(JSON.stringify(errorReport(error)))).toStrictEqual(expected);
  });
});

describe('isBad', () => {
  it('is true for failed and timed-out only', () => {
    const statuses = ['completed', 'failed', 'timed-out', 'cancelled', 'skipped', 'disabled'] as const;

    expect(statuses.filter(isBad)).toEqual(['failed', 'timed-out']);
  });
});
