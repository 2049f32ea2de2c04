import { basename, dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { systemClock } from '@roost/time';
import { restartBackoff, neverRestart } from '../restart-policy.js';
import type { FileOptions } from './child-options.js';
import { cpuCount } from './cpu-count.js';
import { DEFAULT_FLEET_OPTIONS, type FleetOptions, resolveFleetOptions } from './fleet-options.js';

/** Any existing file works. */
const FILE = fileURLToPath(import.meta.url);
const resolve = (options: FleetOptions, env: NodeJS.ProcessEnv = {}) => resolveFleetOptions(options, env, FILE);
/** Options with one background process. */
const resolveOne = (one: object = {}, options: FleetOptions = {}, env: NodeJS.ProcessEnv = {}) =>
  resolve({ processes: [{ name: 'jobs', file: FILE, ...one }], ...options }, env).specs[0]!;
const refusal = (act: () => unknown): { code: string; message: string } => {
  try {
    act();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('it was not refused');
};

describe('resolveFleetOptions', () => {
  it('fills in the documented defaults', () => {
    const { specs, logger, ...rest } = resolve({ processes: [{ name: 'jobs', file: FILE }] });

    expect(rest).toEqual({
      timeoutMs: 30_000,
      bootTimeoutMs: 30_000,
      statusSocket: undefined,
      prefixLogs: true,
      clock: systemClock,
    });
    expect(Object.keys(logger)).toEqual(['debug', 'log', 'warn', 'error']);
    expect(specs).toEqual([
      {
        ...{ kind: 'process', name: 'jobs', file: FILE, args: [], count: 1, maxWaitMs: 30_000 },
        env: { ROOST_TIMEOUT_MS: '29000' },
        restart: restartBackoff({ when: 'always', maxRestarts: 5, maxMs: 10_000, resetAfterMs: 30_000 }),
      },
    ]);
  });

  it('treats undefined as an omitted option', () => {
    const nothing = Object.fromEntries(
      [...Object.keys(DEFAULT_FLEET_OPTIONS), 'maxWaitMs', 'statusSocket'].map((key) => [key, undefined]),
    );
    const nothingOfOne = {
      count: undefined,
      env: undefined,
      restart: undefined,
      maxWaitMs: undefined,
      args: undefined,
    };
    const processes = [{ name: 'jobs', file: FILE }];

    const given = resolve({ ...nothing, processes: [{ ...processes[0]!, ...nothingOfOne }] });

    expect({ ...given, logger: undefined }).toEqual({ ...resolve({ processes }), logger: undefined });
  });

  it('puts HTTP workers first, then processes, then threads', () => {
    const { specs } = resolve({
      threads: [{ name: 'c', file: FILE }],
      processes: [{ name: 'b', file: FILE, count: 3, args: ['--fast'], env: { A: '1' }, restart: neverRestart() }],
      app: FILE,
      http: 2,
    });

    expect(specs.map(({ kind, name, count }) => [kind, name, count])).toEqual([
      ['http', 'web', 2],
      ['process', 'b', 3],
      ['thread', 'c', 1],
    ]);
    expect(specs[1]).toMatchObject({ args: ['--fast'], env: { A: '1' }, restart: neverRestart() });
  });

  it('passes on the given options', () => {
    const given = { timeoutMs: 5, bootTimeoutMs: 6, statusSocket: '/tmp/s', prefixLogs: false };

    expect(resolve({ app: FILE, ...given })).toMatchObject(given);
  });

  it('survives a logger that throws', () => {
    const broken = () => {
      throw new Error('disk full');
    };
    const { logger } = resolve({ app: FILE, logger: { log: broken, warn: broken, error: broken } });

    expect(() => (['log', 'warn', 'error'] as const).forEach((level) => logger[level]('x'))).not.toThrow();
  });
});

describe('resolveFleetOptions for HTTP workers', () => {
  const http = (options: FleetOptions, env?: NodeJS.ProcessEnv) => resolve({ app: FILE, ...options }, env).specs[0]!;

  it.each([undefined, 'auto', { count: 'auto' }, {}] as const)('starts one per core with %p', (given) => {
    expect(http({ ...(given && { http: given }) }).count).toBe(cpuCount());
  });

  it.each(['', 'auto'])('starts one per core with ROOST_WORKERS "%s"', (text) => {
    expect(http({}, { ROOST_WORKERS: text }).count).toBe(cpuCount());
  });

  it('starts as many as ROOST_WORKERS says, unless the option is a number', () => {
    const env = { ROOST_WORKERS: '7' };

    expect([http({}, env).count, http({ http: 2 }, env).count, http({ http: { count: 3 } }, env).count]).toEqual([
      7, 2, 3,
    ]);
  });

  it('accepts a name, an environment, a policy and a wait for them', () => {
    const own = { name: 'api', env: { PORT: '1' }, restart: neverRestart(), maxWaitMs: 100 };

    expect(http({ http: { ...own, count: 2 } })).toMatchObject({ ...own, count: 2 });
  });

  it('starts none without an app', () => {
    expect(resolve({ threads: [{ name: 't', file: FILE }], http: 'auto' }).specs).toHaveLength(1);
  });
});

describe('resolveFleetOptions for files', () => {
  it('resolves a relative path from the folder of the script', () => {
    expect(resolveOne({ file: `./${basename(FILE)}` }).file).toBe(FILE);
    expect(resolveOne({ file: `../launcher/${basename(FILE)}` }).file).toBe(FILE);
  });

  it('accepts a file: URL', () => {
    expect(resolveOne({ file: pathToFileURL(FILE) }).file).toBe(FILE);
  });

  it('uses the started script, or the working directory, by default', () => {
    const { specs } = resolveFleetOptions({ processes: [{ name: 'jobs', file: dirname(FILE) }] }, {});

    expect(specs[0]!.file).toBe(dirname(FILE));
  });
});

describe('resolveFleetOptions for timeouts', () => {
  it('prefers an option to its variable, and a variable to the default', () => {
    const env = { ROOST_TIMEOUT_MS: '9s', ROOST_MAX_WAIT_MS: '4000' };
    const one = { processes: [{ name: 'jobs', file: FILE }] };

    expect([resolve(one, env).timeoutMs, resolve(one, env).specs[0]!.maxWaitMs]).toEqual([9_000, 4_000]);
    expect(resolve({ ...one, timeoutMs: 1_000, maxWaitMs: 500 }, env)).toMatchObject({
      timeoutMs: 1_000,
      specs: [{ maxWaitMs: 500 }],
    });
    expect(resolveOne({ maxWaitMs: 700 }, {}, env).maxWaitMs).toBe(700);
  });

  it.each([
    [30_000, '29000'],
    [1_500, '750'],
    [1, '1'],
  ])('gives a child less than the total time of %p ms for its shutdown', (timeoutMs, left) => {
    expect(resolveOne({}, { timeoutMs }).env).toEqual({ ROOST_TIMEOUT_MS: left });
  });

  it('passes the wait to the applications in the child, if it is set', () => {
    const waitOf = (...args: Parameters<typeof resolveOne>) => {
      const { ROOST_MAX_WAIT_MS: workers, ROOST_DRAIN_MAX_WAIT_MS: drain } = resolveOne(...args).env;
      return { workers, drain };
    };

    expect(waitOf()).toEqual({ workers: undefined, drain: undefined });
    expect(waitOf({}, { maxWaitMs: 500 })).toEqual({ workers: '500', drain: '500' });
    expect(waitOf({ maxWaitMs: 500, env: { ROOST_DRAIN_MAX_WAIT_MS: '200' } })).toEqual({
      workers: '500',
      drain: '200',
    });
  });

  it('limits the wait of a child to the time of the fleet', () => {
    const spec = resolveOne({ maxWaitMs: 60_000 }, { timeoutMs: 10_000 });

    expect(spec.maxWaitMs).toBe(10_000);
    expect(spec.env).toMatchObject({ ROOST_MAX_WAIT_MS: '10000', ROOST_DRAIN_MAX_WAIT_MS: '10000' });
  });
});

describe('resolveFleetOptions rejects', () => {
  const one = (part: object) => ({ processes: [{ name: 'jobs', file: FILE, ...part } as FileOptions] });

  it('an empty fleet', () => {
    expect(refusal(() => resolve({})).code).toBe('WORKERS_NOTHING_TO_LAUNCH');
    expect(refusal(() => resolve({ processes: [], threads: [] })).code).toBe('WORKERS_NOTHING_TO_LAUNCH');
  });

  it.each<FleetOptions>([
    { app: FILE, processes: [{ name: 'web', file: FILE }] },
    { processes: [{ name: 'a', file: FILE }], threads: [{ name: 'a', file: FILE }] },
  ])('a duplicate name of any kind: %#', (options) => {
    expect(refusal(() => resolve(options)).code).toBe('WORKERS_DUPLICATE_CHILD');
  });

  it.each<[option: string, options: object, ...env: NodeJS.ProcessEnv[]]>([
    ['options', null as unknown as object],
    ['worker', { worker: 1 }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: Infinity }],
    ['bootTimeoutMs', { bootTimeoutMs: '5' }],
    ['maxWaitMs', { maxWaitMs: -1 }],
    ['ROOST_TIMEOUT_MS', {}, { ROOST_TIMEOUT_MS: 'soon' }],
    ['ROOST_MAX_WAIT_MS', {}, { ROOST_MAX_WAIT_MS: '0' }],
    ['ROOST_WORKERS', { app: FILE }, { ROOST_WORKERS: '0' }],
    ['ROOST_WORKERS', { app: FILE }, { ROOST_WORKERS: '2.5' }],
    ['restart', { restart: { minMs: 5 } }],
    ['restart.maxRestart', { restart: { ...neverRestart(), maxRestart: 5 } }],
    ['prefixLogs', { prefixLogs: 'no' }],
    ['statusSocket', { statusSocket: '' }],
    ['statusSocket', { statusSocket: 5 }],
    ['statusSocket', { statusSocket: `/tmp/${'ü'.repeat(50)}` }],
    ['app', { http: 2 }],
    ['app', { http: { count: 2 } }],
    ['http', { app: FILE, http: null }],
    ['http.file', { app: FILE, http: { file: FILE } }],
    ['http.restart (web).maxRestart', { app: FILE, http: { restart: { ...neverRestart(), maxRestart: 5 } } }],
    ['http.count (web)', { app: FILE, http: 0 }],
    ['http.count (web)', { app: FILE, http: '4' }],
    ['http.count (web)', { app: FILE }, { ROOST_WORKERS: '2000' }],
    ['http.file (web)', { app: '' }],
    ['http.file (web)', { app: './none.js' }],
    ['http.file (web)', { app: new URL('http://localhost/main.js') }],
    ['processes', { processes: { name: 'jobs' } }],
    ['threads', { threads: 'jobs' }],
    ['processes[0]', { processes: [null] }],
    ['processes[0].files', one({ files: FILE })],
    ['processes[0].name', one({ name: '' })],
    ['processes[0].name', one({ name: '../jobs' })],
    ['processes[0].count (jobs)', one({ count: 1.5 })],
    ['processes[0].count (jobs)', one({ count: 1_025 })],
    ['processes[0].restart (jobs)', one({ restart: 'always' })],
    ['processes[0].maxWaitMs (jobs)', one({ maxWaitMs: NaN })],
    ['processes[0].args (jobs)', one({ args: '--fast' })],
    ['processes[0].args (jobs)', one({ args: [1] })],
    ['processes[0].file (jobs)', one({ file: undefined })],
    ['processes[0].env (jobs)', one({ env: 'A=1' })],
    ['processes[0].env (jobs).A', one({ env: { A: 1 } })],
    ['threads[0].name', { threads: [{ file: FILE }] }],
  ])('%s: %#', (option, options, ...env) => {
    const { code, message } = refusal(() => resolve(options, ...env));

    expect(code).toBe('WORKERS_INVALID_OPTION');
    expect(message.startsWith(`Worker option \`${option}\` is `)).toBe(true);
  });
});
