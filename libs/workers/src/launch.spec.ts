import { fileURLToPath } from 'node:url';
import { Module } from '@nestjs/common';
import { ChildAgent } from './core/child/agent.js';
import { ENV } from './core/child/protocol.js';
import { launch, type LaunchOptions } from './launch.js';

const { jest } = import.meta;

/** Any existing file works. */
const FILE = fileURLToPath(import.meta.url);

@Module({})
class JobsModule {}

const refusalOf = async (options: unknown): Promise<{ code: string; message: string }> => {
  try {
    await launch(options as LaunchOptions);
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('it was not refused');
};

describe('launch() in the started script', () => {
  it('rejects an empty fleet', async () => {
    expect((await refusalOf({})).code).toBe('WORKERS_NOTHING_TO_LAUNCH');
    expect((await refusalOf({ processes: [] })).code).toBe('WORKERS_NOTHING_TO_LAUNCH');
  });

  it.each([
    ['processes', { processes: { name: 'jobs' } }],
    [
      'processes[1].module (jobs)',
      {
        processes: [
          { name: 'a', file: FILE },
          { name: 'jobs', module: 'JobsModule' },
        ],
      },
    ],
    ['processes[0].module (jobs)', { processes: [{ name: 'jobs', module: null }] }],
    ['processes[0].module (jobs)', { processes: [{ name: 'jobs', module: undefined }] }],
    ['processes[0].module (jobs)', { processes: [{ name: 'jobs', module: JobsModule, file: FILE }] }],
    ['processes[0]', { processes: [null] }],
    ['processes[0].file (jobs)', { processes: [{ name: 'jobs' }] }],
    ['processes[0].name', { processes: [{ module: JobsModule }] }],
    ['options', null as unknown as object],
    ['processes[0].args', { processes: [{ name: 'jobs', module: JobsModule, args: ['--fast'] }] }],
    ['processes[0].cout', { processes: [{ name: 'jobs', module: JobsModule, cout: 2 }] }],
    ['processes[0].count (jobs)', { processes: [{ name: 'jobs', module: { module: JobsModule }, count: 0 }] }],
    ['process', { process: [] }],
  ])('rejects invalid options: %s', async (option, options) => {
    const { code, message } = await refusalOf(options);

    expect(code).toBe('WORKERS_INVALID_OPTION');
    expect(message.startsWith(`Worker option \`${option}\` is `)).toBe(true);
  });

  it('rejects a module and a program with the same name', async () => {
    const processes = [
      { name: 'jobs', module: JobsModule },
      { name: 'jobs', file: FILE },
    ];

    expect((await refusalOf({ processes })).code).toBe('WORKERS_DUPLICATE_CHILD');
  });
});

describe('launch() in a child', () => {
  const before = process.env[ENV.name];

  beforeEach(() => {
    ChildAgent.install(new ChildAgent(() => undefined));
  });

  afterEach(() => {
    Reflect.deleteProperty(process, Symbol.for('@roost/workers/child-agent'));
    if (before === undefined) delete process.env[ENV.name];
    else process.env[ENV.name] = before;
  });

  it.each<[name: string | undefined, options: LaunchOptions]>([
    ['web', { app: FILE }],
    ['web', { app: FILE, processes: [{ name: 'jobs', module: JobsModule }] }],
    ['jobs', { processes: [{ name: 'jobs', file: FILE }] }],
    [undefined, { processes: [{ name: 'jobs', module: JobsModule }] }],
  ])('rejects a call in %p, which is not one of its modules: %#', async (name, options) => {
    if (name !== undefined) process.env[ENV.name] = name;

    const { code, message } = await refusalOf(options);

    expect(code).toBe('WORKERS_NESTED_LAUNCH');
    expect(message).toMatch(`launch() was called in "${name ?? ''}"`);
  });

  it('fails with the error of a module that does not boot', async () => {
    @Module({
      providers: [
        {
          provide: 'broken',
          useFactory: () => {
            throw new Error('no database');
          },
        },
      ],
    })
    class BrokenModule {}
    process.env[ENV.name] = 'jobs';
    const print = jest.spyOn(process.stderr, 'write').mockImplementation(() => true);
    const printed = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);

    const { message } = await refusalOf({ processes: [{ name: 'jobs', module: BrokenModule }] });

    for (const mock of [print, printed]) mock.mockRestore();
    expect(message).toBe('no database');
  });
});
