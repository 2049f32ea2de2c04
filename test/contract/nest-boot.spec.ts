import type { INestApplication, INestApplicationContext } from '@nestjs/common';
import { override } from '@roost/kernel';
import { ADAPTERS } from '../support/http-adapters.js';
import { createHttp, createMicroservice, KINDS, Steps, TCP, closingAfterEach } from './apps.js';

const { jest } = import.meta;

type Method = (...args: unknown[]) => unknown;
type Bootable = Record<'init' | 'listen' | 'startAllMicroservices', Method>;

const never = Symbol('pending');
const settledSoon = (promise: Promise<unknown>): Promise<unknown> =>
  Promise.race([promise, new Promise((resolve) => setTimeout(() => resolve(never), 50))]);

const callbackOf = (args: readonly unknown[]): Method => args.at(-1) as Method;

const track = closingAfterEach();

describe('A Nest application', () => {
  it.each(KINDS)('calls the replaced init() of an %s, through its proxy', async (_kind, create) => {
    const app = track(await create({})) as INestApplicationContext & Bootable;
    const init = jest.fn<unknown, unknown[]>();
    override<Bootable, 'init'>(app, 'init', 'a spec', () => init);
    await app.init();
    expect(init).toHaveBeenCalledTimes(1);
  });

  it.each(ADAPTERS)('boots on %s in init(), and listen() calls the replaced init()', async (_adapter, create) => {
    const steps = new Steps();
    const app = track(await createHttp({ providers: [steps.provider] }, create()));
    // Not with `app` as `this`, because it is a proxy that refuses assignments.
    const traced = (init: Method): Method =>
      async function (this: unknown, ...args) {
        steps.taken.push('init');
        await init.apply(this, args);
        steps.taken.push('booted');
      };
    override(app as unknown as Bootable, 'init', 'a spec', traced);
    override(app.getHttpAdapter() as unknown as Bootable, 'listen', 'a spec', (listen) => (...args) => {
      steps.taken.push('listen');
      return listen.apply(app.getHttpAdapter(), args);
    });

    await app.listen(0, '127.0.0.1');
    expect(steps.taken).toEqual(['init', 'onModuleInit', 'onApplicationBootstrap', 'booted', 'listen']);
  });

  it.each(ADAPTERS)('on %s keeps listen() pending until the adapter calls back', async (_adapter, create) => {
    const app = track(await createHttp({}, create()));
    override(app.getHttpAdapter() as unknown as Bootable, 'listen', 'a spec', () => () => undefined);
    expect(await settledSoon(app.listen(0))).toBe(never);
  });

  it.each(ADAPTERS)('on %s rejects listen() with the error of the adapter', async (_adapter, create) => {
    const app = track(await createHttp({}, create()));
    override(app.getHttpAdapter() as unknown as Bootable, 'listen', 'a spec', () => () => {
      throw new Error('refused');
    });
    await expect(app.listen(0)).rejects.toThrow('refused');
  });

  it.each(KINDS.filter(([kind]) => kind !== 'application context'))(
    'rejects init() of an %s with the error of a hook',
    async (_kind, create) => {
      const failing = { onModuleInit: () => Promise.reject(new Error('no database')) };
      await expect(create({ providers: [{ provide: 'failing', useValue: failing }] })).rejects.toThrow('no database');
    },
  );

  it.each(ADAPTERS)('awaits init() of %s after the providers are created, before the first hook', async (_, create) => {
    const steps = new Steps();
    const adapter = create();
    const made = { provide: 'made', useFactory: () => steps.taken.push('provider') };
    const app = track(await createHttp({ providers: [steps.provider, made] }, adapter));
    // NestFactory may already have called it. Only the call of app.init() counts here.
    override(adapter, 'init', 'a spec', (init) => async () => {
      await init.call(adapter);
      await steps.take('adapter.init');
    });
    await app.init();
    expect(steps.taken).toEqual(['provider', 'adapter.init', 'onModuleInit', 'onApplicationBootstrap']);
  });
});

describe('A hybrid application', () => {
  it('has a startAllMicroservices(), which listens on every connected transport', async () => {
    const app: INestApplication = track(await createHttp({}));
    const { listen, transport } = listenOf(app.connectMicroservice(TCP) as unknown as TransportOwner);
    const start = jest.fn();
    override(app as unknown as Bootable, 'startAllMicroservices', 'a spec', (original) => (...args) => {
      start();
      return original.apply(app, args);
    });
    await app.startAllMicroservices();
    expect(start).toHaveBeenCalledTimes(1);
    expect(listen.mock.contexts).toEqual([transport]);
  });
});

interface TransportOwner {
  getTransportServer(): { listen: Method };
}

const listenOf = (owner: TransportOwner) => {
  const transport = owner.getTransportServer();
  const listen = jest.fn<unknown, unknown[]>();
  override(
    transport,
    'listen',
    'a spec',
    (original) =>
      function (this: unknown, ...args) {
        listen.apply(this, args);
        return original.apply(transport, args);
      },
  );
  return { transport, listen };
};

describe('A microservice', () => {
  it('boots inside listen(), and then calls listen() of its transport server', async () => {
    const steps = new Steps();
    const app = track(await createMicroservice({ providers: [steps.provider] }));
    const transport = (app as unknown as TransportOwner).getTransportServer();
    override(transport, 'listen', 'a spec', (listen) => (...args) => {
      steps.taken.push('transport');
      return listen.apply(transport, args);
    });

    await app.listen();
    expect(steps.taken).toEqual(['onModuleInit', 'onApplicationBootstrap', 'transport']);
  });

  it('keeps listen() pending until the transport calls back', async () => {
    const app = track(await createMicroservice({}));
    override((app as unknown as TransportOwner).getTransportServer(), 'listen', 'a spec', () => () => undefined);
    expect(await settledSoon(app.listen())).toBe(never);
  });

  it('rejects listen() with the error that the transport passes to the callback', async () => {
    const app = track(await createMicroservice({}));
    override(
      (app as unknown as TransportOwner).getTransportServer(),
      'listen',
      'a spec',
      () =>
        (...args) =>
          callbackOf(args)(new Error('refused')),
    );
    await expect(app.listen()).rejects.toThrow('refused');
  });

  it('has no HTTP adapter, and a context has no listen(), so the kinds can be told apart', async () => {
    const app = track(await createMicroservice({}));
    expect('getHttpAdapter' in app).toBe(false);
    expect('listen' in app).toBe(true);
    const [, createContext] = KINDS.find(([kind]) => kind === 'application context')!;
    expect('listen' in track(await createContext({}))).toBe(false);
    expect('getHttpAdapter' in track(await createHttp({}))).toBe(true);
  });
});
