import { RunPromise, withResolvers } from './run-promise.js';

const setup = () => {
  let awaited = 0;
  const resolvers = withResolvers<number>(() => awaited++);
  return { ...resolvers, awaited: () => awaited };
};

describe('RunPromise', () => {
  it('is a promise', async () => {
    const { promise, resolve } = setup();
    resolve(5);

    expect(promise).toBeInstanceOf(Promise);
    await expect(promise).resolves.toBe(5);
  });

  it.each<[string, (promise: Promise<number>) => Promise<unknown>]>([
    ['await', async (promise) => await promise],
    ['then', (promise) => promise.then()],
    ['catch', (promise) => promise.catch(() => 0)],
    ['finally', (promise) => promise.finally()],
    ['Promise.all', (promise) => Promise.all([promise])],
    ['Promise.race', (promise) => Promise.race([promise])],
    ['Promise.allSettled', (promise) => Promise.allSettled([promise])],
    ['Promise.resolve', (promise) => Promise.resolve(promise)],
    ['returning it from an async function', async (promise) => promise],
  ])('notices %s', async (_, wait) => {
    const { promise, resolve, awaited } = setup();
    expect(awaited()).toBe(0);

    const waiting = wait(promise);
    await Promise.resolve();

    expect(awaited()).toBe(1);
    resolve(1);
    await waiting;
  });

  it('derives plain promises, which notice nothing', async () => {
    const { promise, resolve, awaited } = setup();
    const derived = promise.then((value) => value + 1);
    resolve(1);

    expect(derived).not.toBeInstanceOf(RunPromise);
    await expect(derived).resolves.toBe(2);
    expect(awaited()).toBe(1);
  });

  it('rejects, and works without an onAwait callback', async () => {
    const { promise, reject } = withResolvers<number>();
    reject(new Error('x'));

    await expect(promise).rejects.toThrow('x');
  });
});
