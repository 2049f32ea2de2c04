import { Controller, Inject, Injectable, Module, Scope } from '@nestjs/common';
import { RecordingLogger } from '@roost/kernel/testing';
import {
  BackgroundProcess,
  DuplicateProcessError,
  InvalidWorkerOptionError,
  MissingHandleError,
  RequestScopedProcessError,
  restartBackoff,
  type RunToken,
  Workers,
} from './index.js';
import { Apps, type AppMetadata } from './nest-app.fixture.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

let began: string[] = [];
beforeEach(() => (began = []));
const begin = (run: RunToken) => {
  began.push(run.name);
  return run.sleep(Infinity);
};

@BackgroundProcess()
class Poller {
  readonly secret = 'own';
  async handle(run: RunToken): Promise<void> {
    began.push(`${run.name} ${this.secret}`);
    await run.sleep(Infinity);
  }
}

const namesIn = async (metadata: AppMetadata): Promise<string[]> => {
  const app = await apps.context(metadata);
  return app
    .get(Workers)
    .describe()
    .map(({ name }) => name);
};

describe('BackgroundProcessExplorer', () => {
  it('finds a class, and calls its handle() as a method', async () => {
    expect(await namesIn({ providers: [Poller] })).toEqual(['poller']);
    expect(began).toEqual(['poller own']);
  });

  it('uses the options of the decorator', async () => {
    const restart = restartBackoff({ minMs: 7 });
    @BackgroundProcess({ name: 'mail.queue', restart, maxWaitMs: 77 })
    class Mailer {
      handle = begin;
    }
    const app = await apps.context({ providers: [Mailer] });
    expect(began).toEqual(['mail.queue']);
    expect(app.get(Workers).longestChosenWaitMs).toBe(77);
  });

  it.each<[string, AppMetadata['providers']]>([
    ['a value', [{ provide: 'poller', useValue: new Poller() }]],
    ['a factory', [{ provide: 'poller', useFactory: () => new Poller() }]],
    ['an async factory', [{ provide: 'poller', useFactory: async () => new Poller() }]],
    ['another class', [{ provide: 'poller', useClass: Poller }]],
  ])('finds a process that is provided by %s', async (_, providers) => {
    expect(await namesIn({ providers })).toEqual(['poller']);
  });

  it('returns an instance once, regardless of its number of tokens', async () => {
    const providers = [
      Poller,
      { provide: 'alias', useExisting: Poller },
      { provide: 'same', useFactory: (poller: Poller) => poller, inject: [Poller] },
    ];
    expect(await namesIn({ providers })).toEqual(['poller']);
  });

  it('ignores controllers, subclasses and unusual values', async () => {
    @BackgroundProcess()
    @Controller()
    class Web {
      handle = begin;
    }
    class Faster extends Poller {}
    const providers = [
      Faster,
      { provide: 'bare', useValue: Object.create(null) as object },
      { provide: 'null', useValue: null },
      { provide: 'text', useValue: 'x' },
      { provide: 'strange', useValue: { constructor: 5 } },
      { provide: 'function', useValue: () => 5 },
    ];
    expect(await namesIn({ controllers: [Web], providers })).toEqual([]);
  });

  it('rejects a class without handle()', async () => {
    class Plain {}
    BackgroundProcess()(Plain as never);
    const error = await apps.bootError({ providers: [Plain, Poller] });
    expect(error).toBeInstanceOf(MissingHandleError);
    expect(error).toMatchObject({ code: 'WORKERS_MISSING_HANDLE', className: 'Plain' });
    expect(began).toEqual([]);
  });

  it.each([{ maxWait: 5 }, { handle: begin }, { declaredBy: 'me' }])(
    'rejects the unknown option %j',
    async (options) => {
      @BackgroundProcess(options as object)
      class Mailer {
        handle = begin;
      }
      const error = await apps.bootError({ providers: [Mailer] });
      expect(error).toBeInstanceOf(InvalidWorkerOptionError);
      expect(error).toMatchObject({ option: `Mailer.${Object.keys(options)[0]}` });
      expect(began).toEqual([]);
    },
  );

  it.each(['itself', 'a dependency'])('rejects a process that is request-scoped by %s', async (by) => {
    @Injectable({ scope: Scope.REQUEST })
    class Session {}
    @BackgroundProcess()
    @Injectable({ scope: by === 'itself' ? Scope.REQUEST : Scope.DEFAULT })
    class Consumer {
      constructor(@Inject(Session) readonly session: Session) {}
      handle = begin;
    }
    const error = await apps.bootError({ providers: [Session, Consumer, Poller] });
    expect(error).toBeInstanceOf(RequestScopedProcessError);
    expect(error).toMatchObject({ code: 'WORKERS_REQUEST_SCOPED', className: 'Consumer' });
    expect(began).toEqual([]);
  });

  describe('with a transient provider', () => {
    @BackgroundProcess()
    @Injectable({ scope: Scope.TRANSIENT })
    class Worker {
      handle = begin;
    }
    const user = (name: string) => ({ provide: name, useFactory: (worker: Worker) => ({ worker }), inject: [Worker] });

    it('uses the instance of its only consumer', async () => {
      expect(await namesIn({ providers: [Worker, user('a')] })).toEqual(['worker']);
    });

    it('rejects more than one instance', async () => {
      const error = await apps.bootError({ providers: [Worker, user('a'), user('b')] });
      expect(error).toBeInstanceOf(DuplicateProcessError);
      expect(String(error)).toMatch(/Worker declares the background process "worker" more than once/);
      expect(began).toEqual([]);
    });

    it('warns when there is no instance', async () => {
      const logger = new RecordingLogger();
      expect(await namesIn({ providers: [Worker], workers: { logger } })).toEqual([]);
      expect(logger.of('warn')).toEqual([
        expect.stringMatching(/^warn: Worker has .* but is transient and injected nowhere/),
      ]);
    });
  });

  it('rejects two processes with the same name and names both', async () => {
    @BackgroundProcess({ name: 'poller' })
    class Other {
      handle = begin;
    }
    const error = await apps.bootError({ providers: [Poller, Other] });
    expect(error).toBeInstanceOf(DuplicateProcessError);
    expect(error).toMatchObject({ process: 'poller', declaredBy: ['Poller', 'Other'] });
    expect(began).toEqual([]);
  });

  it('rejects a class that two modules provide', async () => {
    @Module({ providers: [Poller] })
    class First {}
    @Module({ providers: [Poller] })
    class Second {}
    expect(await apps.bootError({ imports: [First, Second] })).toBeInstanceOf(DuplicateProcessError);
  });

  it.each([
    [{ name: 'two words' }, 'Bad.name'],
    [{ maxWaitMs: -1 }, 'Bad.maxWaitMs'],
    [{ restarts: 5 }, 'restarts'],
  ])('rejects the options %j', async (options, option) => {
    @BackgroundProcess(options as never)
    class Bad {
      handle = begin;
    }
    const error = await apps.bootError({ providers: [Bad] });
    expect(error).toBeInstanceOf(InvalidWorkerOptionError);
    expect(String(error)).toContain(option);
  });
});
