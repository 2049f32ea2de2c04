import { deferred } from '@roost/kernel';
import {
  DuplicateProcessError,
  InvalidWorkerOptionError,
  type RunToken,
  Workers,
  WorkersStoppedError,
} from './index.js';
import { never, outcomeOf, setup, stateOf } from './workers.fixture.js';

describe('Workers.start', () => {
  it('starts every process once, and none before it is called', () => {
    const { workers } = setup();
    const started: string[] = [];
    for (const name of ['a', 'b']) workers.add({ name, handle: () => (started.push(name), never()) });
    expect(started).toEqual([]);
    expect(workers.describe().map(({ state }) => state)).toEqual(['ready', 'ready']);

    workers.start();
    workers.start();

    expect(started).toEqual(['a', 'b']);
    expect(workers.state).toBe('running');
    expect(workers.describe().map(({ state }) => state)).toEqual(['running', 'running']);
  });

  it('starts a later process immediately, even one added by a starting process', () => {
    const { workers } = setup();
    const started: string[] = [];
    const add = (name: string, then: () => void = () => undefined) =>
      workers.add({ name, handle: () => (started.push(name), then(), never()) });
    add('a', () => add('b'));
    workers.start();
    add('c');

    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('starts nothing after the stop request', () => {
    const { workers } = setup();
    let started = false;
    workers.add({ name: 'a', handle: () => (started = true) });
    workers.requestStop();
    workers.start();

    expect(started).toBe(false);
    expect(stateOf(workers, 'a')).toBe('stopped');
  });

  it('starts no process after one that requests the stop', async () => {
    const { workers } = setup();
    const started: string[] = [];
    workers.add({ name: 'a', handle: () => (started.push('a'), workers.requestStop()) });
    workers.add({ name: 'b', handle: () => started.push('b') });
    workers.start();

    await workers.finish();
    expect(started).toEqual(['a']);
  });
});

describe('Workers.add', () => {
  it('rejects a second process with the same name and names both classes', () => {
    const { workers } = setup();
    workers.add({ name: 'mailer', handle: never, declaredBy: 'MailModule' });
    const add = () => workers.add({ name: 'mailer', handle: never, declaredBy: 'NewsModule' });

    expect(add).toThrow(DuplicateProcessError);
    expect(add).toThrow(/"mailer" is declared by MailModule and by NewsModule/);
  });

  it('explains the error when one class is provided twice', () => {
    const { workers } = setup();
    const add = () => workers.add({ name: 'mailer', handle: never, declaredBy: 'Mailer' });
    add();

    expect(add).toThrow(/Mailer declares the background process "mailer" more than once/);
  });

  it.each([
    [{ name: '', handle: never }, 'add().name'],
    [{ name: '1st', handle: never }, 'add().name'],
    [{ name: 'a', handle: 'never' }, 'add().handle'],
    [{ name: 'a', handle: never, maxWaitMs: 0 }, 'add().maxWaitMs'],
    [{ name: 'a', handle: never, restart: 'always', declaredBy: 'Mailer' }, 'Mailer.restart'],
    [{ name: 'a', handle: never, maxWait: 5 }, 'add().maxWait'],
    [{ name: 'a', handle: never, maxWait: 5, declaredBy: 'Mailer' }, 'Mailer.maxWait'],
    [undefined, 'add()'],
  ])('rejects %j', (definition, option) => {
    const { workers } = setup();
    const add = () => workers.add(definition as never);

    expect(add).toThrow(InvalidWorkerOptionError);
    expect(add).toThrow(`\`${option}\` is `);
    expect(workers.describe()).toEqual([]);
  });

  it('rejects a process while stopping and after the stop', () => {
    const { workers } = setup();
    workers.requestStop();
    expect(() => workers.add({ name: 'a', handle: never })).toThrow(/"a" of add\(\) was refused .* are stopping/);
    workers.close();
    expect(() => workers.add({ name: 'a', handle: never })).toThrow(/have stopped/);
    expect(() => workers.add({ name: 'a', handle: never })).toThrow(WorkersStoppedError);
  });
});

describe('Workers options', () => {
  const { env } = process;
  afterEach(() => void (process.env = env));

  it('read the wait from the environment, and prefer the option', () => {
    process.env = { ...env, ROOST_MAX_WAIT_MS: '2s' };
    expect(new Workers().options).toMatchObject({ maxWaitMs: 2_000, isDefaultWait: false });
    expect(new Workers({ maxWaitMs: 7 }).options.maxWaitMs).toBe(7);
  });

  it('wait 30 s by default', () => {
    process.env = { ...env, ROOST_MAX_WAIT_MS: '' };
    expect(new Workers().options).toMatchObject({ maxWaitMs: 30_000, isDefaultWait: true });
  });

  it.each([
    [{ maxWaitMs: -1 }, 'maxWaitMs'],
    [{ restart: {} }, 'restart'],
    [{ maxwait: 1 }, 'maxwait'],
    [null, 'options'],
  ])('reject %j', (options, option) => {
    expect(() => new Workers(options as never)).toThrow(InvalidWorkerOptionError);
    expect(() => new Workers(options as never)).toThrow(`\`${option}\` is `);
  });

  it('survive a logger that throws', async () => {
    const fail = () => {
      throw new Error('disk full');
    };
    const { clock, workers, run } = setup({ logger: { log: fail, warn: fail, error: fail } });
    let runs = 0;
    run(() => {
      if (++runs === 1) throw new Error('x');
      return never();
    });

    await clock.advanceAsync(100);
    expect(runs).toBe(2);
    expect(stateOf(workers)).toBe('running');
  });

  it('log to the console by default', async () => {
    const { jest } = import.meta;
    const spies = (['log', 'warn', 'error'] as const).map((level) => jest.spyOn(console, level).mockReturnValue());
    const { logger } = new Workers().options;
    logger.log('a');
    logger.warn('b');
    logger.error('c');
    const lines = spies.map((spy) => spy.mock.calls[0]);
    for (const spy of spies) spy.mockRestore();

    expect(lines).toEqual([['[workers] a'], ['[workers] b'], ['[workers] c']]);
  });
});

describe('Workers.runGracefully', () => {
  it('returns the result of the function and throws its error', async () => {
    const { workers } = setup();
    await expect(workers.runGracefully(() => 1)).resolves.toBe(1);
    await expect(workers.runGracefully(async () => 'x')).resolves.toBe('x');
    await expect(workers.runGracefully(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
    const failing = workers.runGracefully(() => {
      throw new Error('at once');
    });
    await expect(failing).rejects.toThrow('at once');
    expect(workers.inFlight).toBe(0);
    await workers.finish();
  });

  it('rejects a value that is not a function', async () => {
    const { workers } = setup();
    await expect(workers.runGracefully('x' as never)).rejects.toThrow(InvalidWorkerOptionError);
    const options = { maxWaitMs: 5 } as never;
    await expect(workers.runGracefully(() => 1, options)).rejects.toThrow('`runGracefully(options).maxWaitMs` is set');
  });

  it('delays the shutdown, and its failure concerns only the caller', async () => {
    const { workers, settle } = setup();
    const work = deferred();
    const result = outcomeOf(workers.runGracefully(() => work.promise));
    const finished = outcomeOf(workers.finish());
    await settle();
    expect(finished.status).toBe('pending');
    expect(workers.inFlight).toBe(1);

    work.reject(new Error('mine'));
    await settle();
    expect(result).toEqual({ status: 'rejected', value: new Error('mine') });
    expect(finished.status).toBe('resolved');
  });

  it('must stop on the request, immediately if it starts while stopping', async () => {
    const { workers } = setup();
    let token!: RunToken;
    const work = deferred();
    const keep = (run: RunToken) => {
      token = run;
      return work.promise;
    };
    const first = workers.runGracefully(keep);
    expect(token.isRunning()).toBe(true);

    workers.requestStop();
    expect(token.isRunning()).toBe(false);
    expect(token.signal.aborted).toBe(true);

    await workers.runGracefully((run) => {
      expect(run.isRunning()).toBe(false);
      expect(run.signal.aborted).toBe(true);
    });
    work.resolve();
    await first;
  });

  it('is awaited by a finish() that is already waiting', async () => {
    const { workers, settle } = setup();
    const [first, second] = [deferred(), deferred()];
    void workers.runGracefully(() => first.promise);
    const finished = outcomeOf(workers.finish());
    void workers.runGracefully(() => second.promise);

    first.resolve();
    await settle();
    expect(finished.status).toBe('pending');
    second.resolve();
    await settle();
    expect(finished.status).toBe('resolved');
  });

  it('is rejected after close()', async () => {
    const { workers } = setup();
    workers.close();
    await expect(workers.runGracefully(() => 1, { name: 'mail' })).rejects.toThrow(
      /runGracefully\("mail"\) was refused .* have stopped/,
    );
  });

  it('is named after its option, its function, or its kind', async () => {
    const { workers } = setup();
    const names: string[] = [];
    const note = (run: RunToken) => void names.push(run.name);
    await workers.runGracefully(note, { name: 'mail' });
    await workers.runGracefully(note);
    await workers.runGracefully((() => note)());
    await workers.runGracefully((run) => void names.push(run.name));
    expect(names).toEqual(['mail', 'note', 'note', 'work']);
  });

  it('does not abort its signal when it has ended, because its result may be read later', async () => {
    const { workers } = setup();
    const signal = await workers.runGracefully((run) => run.signal);
    await workers.finish();
    workers.close();
    expect(signal.aborted).toBe(false);
  });
});
