import { Exemptions, pathOf, type RequestHead } from './exemptions.js';

const head = (url: string | undefined, method = 'GET'): RequestHead => ({ url, method, headers: {} });

describe('Exemptions', () => {
  it('exempts nothing by default', () => {
    expect(new Exemptions().has(head('/'))).toBe(false);
  });

  it.each(['/metrics', '/metrics/', '/metrics?format=text', '/metrics/?a', '/metrics#part'])(
    'matches %s by its path',
    (url) => {
      expect(new Exemptions(['/metrics']).has(head(url))).toBe(true);
      expect(new Exemptions(['/metrics/']).has(head(url))).toBe(true);
    },
  );

  it.each(['/', '/metricsx', '/metrics/all', '/Metrics', '/?/metrics', '', undefined])('does not match %p', (url) => {
    expect(new Exemptions(['/metrics']).has(head(url))).toBe(false);
  });

  it('can exempt only the root path', () => {
    const exemptions = new Exemptions(['/']);

    expect([undefined, '/', '/?a', '/a'].map((url) => exemptions.has(head(url)))).toEqual([true, true, true, false]);
  });

  it('calls the functions until one returns true', () => {
    const exemptions = new Exemptions([
      ({ method }) => method === 'OPTIONS',
      ({ headers }) => headers['x-probe'] === '1',
      ({ url }) => url === '/a?b',
    ]);

    expect(exemptions.has(head('/any', 'OPTIONS'))).toBe(true);
    expect(exemptions.has({ ...head('/any'), headers: { 'x-probe': '1' } })).toBe(true);
    expect(exemptions.has(head('/a?b'))).toBe(true);
    expect(exemptions.has(head('/any'))).toBe(false);
  });

  it('treats a function that throws as false, and still calls the others', () => {
    const broken = () => {
      throw new Error('broken');
    };

    expect(new Exemptions([broken]).has(head('/'))).toBe(false);
    expect(new Exemptions([broken, () => true]).has(head('/'))).toBe(true);
  });

  it('accepts more exemptions later', () => {
    const exemptions = new Exemptions(['/a']);
    exemptions.add('/b');
    exemptions.add(({ url }) => url === '/c');

    expect(['/a', '/b', '/c', '/d'].map((url) => exemptions.has(head(url)))).toEqual([true, true, true, false]);
  });
});

describe('pathOf', () => {
  it.each([
    ['/orders/7', '/orders/7'],
    ['/orders?token=secret', '/orders'],
    ['/?a?b', '/'],
    ['?a', ''],
    ['/a#b?c', '/a'],
    [undefined, '/'],
  ])('returns the path of %p as %p', (url, path) => {
    expect(pathOf({ url })).toBe(path);
  });
});
