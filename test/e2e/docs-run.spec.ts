import { basename, dirname, join } from 'node:path';
import { AppProcess } from '../support/app-process.js';
import { freePort, installBrokers, startRedis } from '../support/brokers.js';
import type { DocsSurroundings } from '../support/docs-preload.js';
import { readPages } from '../support/docs-pages.js';
import { atWork, CLEAN, DocsProcess, type Outcome, startInternalHosts } from '../support/docs-process.js';
import { CALL_UP, DocsFolder, examplesOf, mainOf, rootModules, scriptOf } from '../support/docs-programs.js';
import { inParallel } from './drain/in-parallel.js';
import { OrderStream } from './workers/recipes/order-stream.js';

/**
 * Examples that are skipped, with the reason. Each is started anyway and must fail, so remove an entry when it runs.
 */
const NOT_RUN: Record<string, string> = {
  'docs/how-to/mongoose.md main.ts': 'needs MongoDB, and runs in test/e2e/how-to/mongoose.spec.ts',
  'docs/how-to/typeorm.md main.ts': 'needs PostgreSQL, and runs in test/e2e/how-to/typeorm.spec.ts',
};

/** Feature modules, and the application modules around them that the page omits. */
const ADDED: Record<string, [name: string, from: string][]> = {
  'filters.module.ts FiltersModule': [['CoordinatedShutdownModule', '@roost/shutdown']],
  'async-options.module.ts AppModule': [['CoordinatedShutdownModule', '@roost/shutdown']],
  'two-systems.module.ts AppModule': [['CoordinatedShutdownModule', '@roost/shutdown']],
  'health-check.module.ts HealthCheckModule': [['AppModule', './app.module.js']],
  'probes.module.ts ProbesModule': [['AppModule', './app.module.js']],
  'status.module.ts StatusModule': [['CoordinatedShutdownModule', '@roost/shutdown']],
  'reminder.ts ReminderModule': [
    ['CoordinatedShutdownModule', '@roost/shutdown'],
    ['ActorSystemModule', '@roost/actors'],
  ],
};

/** Programs that only work together, each started as often as it is listed. `%coordinator` stands for a free port. */
const TOGETHER: { file: string; env: Record<string, string> }[][] = [
  [
    { file: 'coordinator.ts', env: { DATAFLOW_TOKEN: 'secret' } },
    ...['front', 'pricing', 'risk'].map((name) => ({
      file: 'node.ts',
      env: {
        DATAFLOW_PROCESS: name,
        DATAFLOW_HOST: '127.0.0.1',
        DATAFLOW_COORDINATOR: '127.0.0.1:%coordinator',
        DATAFLOW_TOKEN: 'secret',
      },
    })),
  ],
  ['front', 'pricing', 'risk'].map((name) => ({ file: 'nats-node.ts', env: { DATAFLOW_PROCESS: name } })),
];

/** A program, a module in a generated program, or the other code of a page, which is only loaded. */
interface Unit {
  name: string;
  /** Whether the signal may end it, because nothing in it handles SIGTERM. */
  isKillable?: boolean;
  write(folder: DocsFolder): Promise<string>;
}

const pages = [...readPages()].map(([page, markdown]) => examplesOf(page, markdown));
const examples = pages.flat();

const programs = examples
  .filter(({ kind }) => kind === 'program')
  .map((example): Unit => ({
    name: `${example.page} ${example.file}`,
    isKillable: !/SIGTERM|@roost\/(shutdown|nest|workers)/.test(example.code),
    write: (folder) => folder.emit(example),
  }));

const modules = pages.flatMap(rootModules).map(({ example: { page, file }, module }): Unit => {
  const name = `${page} ${file} ${module}`;
  const code = mainOf(file, module, ADDED[`${file} ${module}`]);
  return { name, write: (folder) => folder.write(page, `main-of-${module}-in-${file}.js`, code) };
});

const libraries = pages
  .map((ofPage) => ofPage.filter(({ kind }) => kind === 'library'))
  .filter((ofPage) => ofPage.length > 0)
  .map((ofPage): Unit => {
    const code = ofPage.map(({ file }) => `await import('./${scriptOf(file)}');\n`).join('');
    const [{ page } = { page: '' }] = ofPage;
    return { name: page, write: (folder) => folder.write(page, 'load.js', `${code}${CALL_UP}process.exit();`) };
  });

const units = [...programs, ...modules, ...libraries];
const outcomes = new Map<string, Outcome>();

/** Runs a program, together with the programs it needs. */
async function run(program: string, surroundings: DocsSurroundings, env: Record<string, string>): Promise<Outcome> {
  const group = TOGETHER.find((files) => files.some(({ file }) => basename(program) === scriptOf(file)));
  if (!group) return new DocsProcess(program, surroundings, env).run();
  const coordinator = await freePort();
  const processes = group.map(({ file, env: own }) => {
    const mapped = Object.entries(own).map(([key, value]) => [key, value.replace('%coordinator', String(coordinator))]);
    const path = join(dirname(program), scriptOf(file));
    const ports = { 7000: coordinator };
    return new DocsProcess(path, { ...surroundings, ports }, { ...env, ...Object.fromEntries(mapped) });
  });
  await atWork(processes);
  const all = await Promise.all(processes.map((one) => one.stop()));
  return all.find((outcome) => !isClean(outcome)) ?? CLEAN;
}

beforeAll(async () => {
  await installBrokers();
  const folder = await DocsFolder.create();
  const redis = await startRedis();
  const stream = await OrderStream.start({ ackWaitMs: 30_000 });
  const internal = await startInternalHosts();
  try {
    for (const ofPage of pages) await folder.emitPage(ofPage);
    const env = { ...stream.env, REDIS_URL: `redis://127.0.0.1:${redis.port}` };
    const runs = units.map(async ({ name, isKillable, write }) => {
      const program = await write(folder);
      const outcome = await inParallel(() => run(program, { internal: internal.url }, env));
      const isKilled = isKillable && outcome.signal === 'SIGTERM';
      outcomes.set(name, isKilled ? { ...outcome, code: 0, signal: null } : outcome);
    });
    await Promise.all(runs);
  } finally {
    await AppProcess.killAll();
    await Promise.all([redis.stop(), stream.stop(), internal.close(), folder.remove()]);
  }
}, 240_000);

const names = (ofKind: Unit[]): string[] => ofKind.map(({ name }) => name);

describe('Examples of the documentation', () => {
  it.each(names(programs).filter((name) => !(name in NOT_RUN)))('run and stop on SIGTERM: %s', (name) => {
    expect(outcomes.get(name)).toEqual(CLEAN);
  });

  it.each(names(modules).filter((name) => !(name in NOT_RUN)))('boot and stop on SIGTERM: %s', (name) => {
    expect(outcomes.get(name)).toEqual(CLEAN);
  });

  it.each(names(libraries).filter((name) => !(name in NOT_RUN)))('load: %s', (name) => {
    expect(outcomes.get(name)).toEqual(CLEAN);
  });

  it('are skipped only if they do not run', () => {
    const needless = Object.keys(NOT_RUN).filter((name) => isClean(outcomes.get(name)));
    expect(needless).toEqual([]);
  });

  it('are all counted', () => {
    const tests = examples.filter(({ kind }) => kind === 'test').length;
    process.stderr.write(
      `docs: ${programs.length} programs and ${modules.length} modules run, code of ${libraries.length} pages loaded, ` +
        `${tests} tests run by docs-tests.spec.ts, ${Object.keys(NOT_RUN).length} left out\n`,
    );
    expect(new Set(names(units)).size).toBe(units.length);
    for (const key of [...Object.keys(ADDED), ...Object.keys(NOT_RUN)]) {
      expect(names(units)).toContainEqual(expect.stringContaining(key));
    }
  });
});

const isClean = (outcome: Outcome | undefined): boolean =>
  outcome === undefined || JSON.stringify(outcome) === JSON.stringify(CLEAN);
