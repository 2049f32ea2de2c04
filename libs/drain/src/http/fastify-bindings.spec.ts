import { onFastifyBindings } from './fastify-bindings.js';

const { jest } = import.meta;

const listenOn = (properties: object): { callback: jest.Mock; done: jest.Mock } => {
  const callback = jest.fn();
  const done = jest.fn();
  onFastifyBindings({ addHook: (_name, hook) => hook(done), ...properties }, callback);
  return { callback, done };
};

describe('onFastifyBindings', () => {
  it('reports each additional Fastify server', () => {
    const { callback, done } = listenOn({ [Symbol('fastify.serverBindings')]: ['a', 'b'], [Symbol('other')]: ['c'] });

    expect(callback.mock.calls).toEqual([['a'], ['b']]);
    expect(done).toHaveBeenCalledTimes(1);
  });

  it.each([{}, { [Symbol('fastify.serverBindings')]: undefined }])(
    'works without additional servers: %p',
    (properties) => {
      const { callback, done } = listenOn(properties);

      expect(callback).not.toHaveBeenCalled();
      expect(done).toHaveBeenCalledTimes(1);
    },
  );
});
