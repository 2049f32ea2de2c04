import type { HttpServer, INestApplicationContext } from '@nestjs/common';
import { override } from '@roost/kernel';
import type { Server } from 'node:net';
import { ADAPTERS } from '../support/http-adapters.js';
import { createHttp, createMicroservice, KINDS, raise, Steps } from './apps.js';

const { jest } = import.meta;

/** Two ways to close an application: from code, and by Nest's signal listener, which raises its signal again. */
const WAYS: readonly (readonly [way: string, signal: string | undefined])[] = [
  ['close()', undefined],
  ['a signal', 'SIGUSR2'],
];

const closeBy = async (app: INestApplicationContext, signal: string | undefined): Promise<void> => {
  if (signal === undefined) return app.close();
  app.enableShutdownHooks(['SIGUSR2']);
  const raisedAgain = new Promise<unknown[]>((resolve) =>
    jest.spyOn(process, 'kill').mockImplementation((...args) => {
      resolve(args);
      return true;
    }),
  );
  raise('SIGUSR2');
  expect(await raisedAgain).toEqual([process.pid, 'SIGUSR2']);
};

const shutdownHooks = (signal: string | undefined): string[] => [
  'onModuleDestroy',
  `beforeApplicationShutdown ${signal}`,
  `onApplicationShutdown ${signal}`,
];

type Closable = { close(signal?: string): Promise<void>; prepareClose(): Promise<void> };

afterEach(() => jest.restoreAllMocks());

describe.each(WAYS)('Nest, on %s', (_, signal) => {
  it.each(KINDS)('awaits prepareClose before the shutdown hooks of an %s', async (_kind, create) => {
    const steps = new Steps();
    const app = await create({ providers: [steps.provider] });
    steps.taken.length = 0;
    override(app as unknown as Closable, 'prepareClose', 'a spec', (prepareClose) => async () => {
      await prepareClose.call(app);
      await steps.take('prepareClose');
    });

    await closeBy(app, signal);
    expect(steps.taken).toEqual(['prepareClose', ...shutdownHooks(signal)]);
  });

  it.each(ADAPTERS)(
    'awaits beforeClose of %s before the shutdown hooks, while it still listens',
    async (_adapter, create) => {
      const steps = new Steps();
      const app = await createHttp({ providers: [steps.provider] }, create());
      const server = (await app.listen(0, '127.0.0.1')) as Server;
      steps.taken.length = 0;
      override(app.getHttpAdapter() as Required<HttpServer>, 'beforeClose', 'a spec', (beforeClose) => async () => {
        await (beforeClose as () => unknown).call(app.getHttpAdapter());
        await steps.take(`beforeClose, ${server.listening ? 'listening' : 'closed'}`);
      });

      await closeBy(app, signal);
      expect(steps.taken).toEqual(['beforeClose, listening', ...shutdownHooks(signal)]);
      expect(server.listening).toBe(false);
    },
  );
});

describe('Nest', () => {
  it.each(KINDS)('closes an %s with its original close(), called on its proxy', async (_kind, create) => {
    const steps = new Steps();
    const app = await create({ providers: [steps.provider] });
    let closeNest: (() => Promise<void>) | undefined;
    override(app, 'close', 'a spec', (close) => {
      closeNest = () => close.call(app);
      return async () => void steps.taken.push('replaced');
    });
    steps.taken.length = 0;

    await app.close();
    expect(steps.taken).toEqual(['replaced']);
    await closeNest!();
    expect(steps.taken).toEqual(['replaced', ...shutdownHooks(undefined)]);
  });

  it.each(KINDS.filter(([kind]) => kind !== 'microservice'))(
    'passes the signal given to close() of an %s to the hooks',
    async (_kind, create) => {
      const steps = new Steps();
      const app = await create({ providers: [steps.provider] });
      steps.taken.length = 0;
      await (app as unknown as Closable).close('SIGTERM');
      expect(steps.taken).toEqual(shutdownHooks('SIGTERM'));
    },
  );

  it('closes the transport of a microservice before its hooks, so close() must be replaced', async () => {
    const steps = new Steps();
    const app = await createMicroservice({ providers: [steps.provider] });
    await app.listen();
    steps.taken.length = 0;
    override(app.getTransportServer(), 'close', 'a spec', (close) => async () => {
      await close.call(app.getTransportServer());
      await steps.take('transport');
    });

    await app.close();
    expect(steps.taken[0]).toBe('transport');
  });

  it('listens for signals when enableShutdownHooks() is called without arguments', async () => {
    const app = await createHttp({});
    const before = process.listenerCount('SIGTERM');
    app.enableShutdownHooks();
    expect(process.listenerCount('SIGTERM')).toBe(before + 1);
    await app.close();
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });
});
