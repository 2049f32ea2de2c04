import { deferred } from './deferred.js';

describe('deferred', () => {
  it('resolves once', async () => {
    const { promise, resolve, reject } = deferred<number>();
    resolve(1);
    resolve(2);
    reject(new Error('late'));
    await expect(promise).resolves.toBe(1);
  });

  it('rejects', async () => {
    const { promise, reject } = deferred();
    reject(new Error('no'));
    await expect(promise).rejects.toThrow('no');
  });
});
