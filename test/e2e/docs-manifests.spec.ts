import { parseDuration } from '@roost/time';
import { DEFAULT_FLEET_OPTIONS } from '@roost/workers/core';
import { parseAllDocuments } from 'yaml';
import { AppProcess } from '../support/app-process.js';
import { freePort, startNats } from '../support/brokers.js';
import { readPages } from '../support/docs-pages.js';
import { atWork, DocsProcess, startInternalHosts, type UpReport } from '../support/docs-process.js';
import { CALL_UP, DocsFolder, type Example, examplesOf, mainOf, rootModules } from '../support/docs-programs.js';
import { codeBlocks } from '../support/markdown.js';
import { runCommand } from '../support/run-command.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { readText } from '../support/workspace.js';

interface Probe {
  httpGet: { path: string; port: number };
}

interface Container {
  env?: { name: string; value?: string }[];
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  lifecycle?: { preStop?: { sleep?: { seconds: number } } };
}

interface PodSpec {
  terminationGracePeriodSeconds?: number;
  containers: Container[];
}

interface Service {
  build?: unknown;
  command?: string | string[];
  environment?: Record<string, string | number>;
  healthcheck?: { test: string[] };
  stop_grace_period?: string;
}

/** A process that a manifest starts. */
interface Planned {
  name: string;
  /** Program in the command, such as `node.ts`. @default the program of the page */
  file?: string;
  env: Record<string, string>;
  graceMs: number;
  preStopMs: number;
  probes: Probe['httpGet'][];
  /** Words of the command after `CMD`. */
  healthcheck?: string[];
}

/**
 * Returns the containers of a document, at any depth. A fragment of a container counts as one, without a grace period.
 */
const plannedPods = (value: unknown): Planned[] => {
  if (typeof value !== 'object' || value === null) return [];
  const isFragment = ['env', 'startupProbe', 'readinessProbe', 'livenessProbe'].some((key) => key in value);
  const fragment = { terminationGracePeriodSeconds: Infinity, containers: [value as Container] };
  const { terminationGracePeriodSeconds = 30, containers } = isFragment ? fragment : (value as PodSpec);
  if (!Array.isArray(containers)) return Object.values(value).flatMap(plannedPods);
  return containers.map(({ env = [], lifecycle, startupProbe, readinessProbe, livenessProbe }) => ({
    name: 'pod',
    env: Object.fromEntries(env.map(({ name, value: text = '' }) => [name, text])),
    graceMs: terminationGracePeriodSeconds * 1_000,
    preStopMs: (lifecycle?.preStop?.sleep?.seconds ?? 0) * 1_000,
    probes: [startupProbe, readinessProbe, livenessProbe].flatMap((probe) => (probe ? [probe.httpGet] : [])),
  }));
};

const servicesOf = (document: unknown): Record<string, Service> =>
  (document as { services?: Record<string, Service> } | null)?.services ?? {};

const plannedServices = (value: unknown): Planned[] =>
  Object.entries(servicesOf(value)).map(
    ([name, { command, environment = {}, healthcheck, stop_grace_period = '10s' }]) => ({
      name,
      file: /([^/]+)\.js$/.exec(String(command))?.[1]?.concat('.ts'),
      env: Object.fromEntries(Object.entries(environment).map(([key, text]) => [key, interpolated(String(text))])),
      graceMs: parseDuration(stop_grace_period),
      preStopMs: 0,
      probes: [],
      healthcheck: healthcheck?.test.slice(1),
    }),
  );

/** Variables of the shell that starts compose. Each has a default or is a secret. */
const interpolated = (text: string): string =>
  text.replace(/\$\{\w+:-([^}]*)\}/g, '$1').replace(/\$\{\w+:\?\}/g, 'secret');

const documentsOf = (yaml: string): unknown[] =>
  parseAllDocuments(yaml, { merge: true }).map((document) => document.toJS() as unknown);

interface Manifest {
  title: string;
  page: string;
  planned: Planned[];
}

const manifestsOf = (page: string, markdown: string): Manifest[] =>
  codeBlocks(markdown)
    .filter(({ language }) => language === 'yaml')
    .map(({ line, code }) => ({
      title: `${page}:${line}`,
      page,
      planned: documentsOf(code).flatMap((document) => [...plannedPods(document), ...plannedServices(document)]),
    }))
    .filter(({ planned }) => planned.length > 0);

const pages = readPages();
const manifests = [...pages].flatMap(([page, markdown]) => manifestsOf(page, markdown));

/**
 * Writes the program of a page: its `main.ts`, or one that boots its first module. An application that sets `timeoutMs`
 * does not read the env variable, so a manifest with the variable is for one with default options.
 */
async function writeMain(folder: DocsFolder, page: string, examples: Example[], env: Planned['env']): Promise<string> {
  const main = examples.find(({ file }) => file === 'main.ts');
  if (main) return folder.emit(main);
  if ('ROOST_TIMEOUT_MS' in env) return folder.write(page, 'default-main.js', DEFAULT_MAIN);
  const [first] = rootModules(examples);
  if (!first) throw new Error(`${page} has a manifest, and no program for it`);
  return folder.write(page, 'main.js', mainOf(first.example.file, first.module, [], 3000));
}

const DEFAULT_MAIN = `
import { NestFactory } from '@nestjs/core';
import { RoostModule } from '@roost/nest';
import { enableCoordinatedShutdown } from '@roost/shutdown';

const app = await NestFactory.create(RoostModule.forRoot());
enableCoordinatedShutdown(app);
await app.listen(3000);
${CALL_UP}`;

const launcherTimeoutMs = ({ ROOST_TIMEOUT_MS: text }: Record<string, string>): number =>
  text === undefined ? DEFAULT_FLEET_OPTIONS.timeoutMs : parseDuration(text);

/** Runs a health check for a program that listens on this port instead of 3000. */
const succeeds = async (words: string[], port: number): Promise<boolean> => {
  const [, ...args] = words.map((word) => word.replace('127.0.0.1:3000', `127.0.0.1:${port}`));
  return (await runCommand(process.execPath, args)).code === 0;
};

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );

interface Run {
  process: DocsProcess;
  up: UpReport;
}

async function start(
  folder: DocsFolder,
  { page, planned }: Manifest,
  internal: string,
): Promise<{ runs: Run[]; port: number }> {
  const examples = examplesOf(page, pages.get(page)!);
  await folder.emitPage(examples);
  const [port, coordinator] = [await freePort(), await freePort()];
  const surroundings = { internal, hosts: planned.map(({ name }) => name), ports: { 3000: port, 7000: coordinator } };
  const starting = planned.map(async ({ file, env }) => {
    const own = examples.find((example) => example.file === file);
    const program = own ? await folder.emit(own) : await writeMain(folder, page, examples, env);
    const mapped = Object.entries(env).map(([key, text]) => [key, text.replace(/:7000$/, `:${coordinator}`)]);
    const process = new DocsProcess(program, surroundings, Object.fromEntries(mapped) as Record<string, string>);
    return { process, up: await process.up() };
  });
  return { runs: await Promise.all(starting), port };
}

describe('Manifests of the documentation', () => {
  let folder: DocsFolder;
  let internal: Awaited<ReturnType<typeof startInternalHosts>>;

  beforeAll(async () => {
    folder = await DocsFolder.create();
    internal = await startInternalHosts();
  });

  afterEach(() => AppProcess.killAll());
  afterAll(() => Promise.all([folder.remove(), internal.close()]));

  it('exist', () => {
    process.stderr.write(`docs: ${manifests.length} manifests\n`);
    expect(manifests).not.toEqual([]);
  });

  it.each(manifests.map((manifest): [string, Manifest] => [manifest.title, manifest]))(
    'fit the application of their page: %s',
    async (_title, manifest) => {
      const { runs, port } = await start(folder, manifest, internal.url);
      for (const [index, { env, graceMs, preStopMs, probes, healthcheck }] of manifest.planned.entries()) {
        const { process, up } = runs[index]!;
        const timeoutMs = up.timeoutMs ?? launcherTimeoutMs(env);
        expect({ timeoutMs, isLonger: graceMs > preStopMs + timeoutMs }).toEqual({ timeoutMs, isLonger: true });
        if (up.gracePeriodMs !== undefined) expect(up.gracePeriodMs).toBeLessThanOrEqual(graceMs);
        for (const { path, port: named } of probes) {
          expect(named).toBe(3000);
          expect([path, (await fetch(`http://127.0.0.1:${port}${path}`)).status]).toEqual([path, 200]);
        }
        if (healthcheck) expect(await succeeds(healthcheck, port)).toBe(true);
        expect(process.complaints()).toEqual([]);
      }
      if (runs.length > 1) await atWork(runs.map(({ process }) => process));
      const outcomes = await Promise.all(runs.map(({ process }) => process.stop()));
      expect(outcomes.map(({ code, complaints }) => ({ code, complaints }))).toEqual(
        runs.map(() => ({ code: 0, complaints: [] })),
      );
    },
    60_000,
  );
});

describe('docker-compose.yml', () => {
  afterEach(() => AppProcess.killAll());

  it('starts applications that become ready without a warning, and stop', async () => {
    const nats = await startNats();
    const data = await tempDir();
    const services = Object.entries(servicesOf(documentsOf(readText('docker-compose.yml'))[0])).filter(
      ([, { build }]) => build,
    );
    expect(services).not.toEqual([]);
    try {
      const running = await Promise.all(
        services.map(async ([name, { command, environment, healthcheck }]) => {
          const port = await freePort();
          const env = Object.entries(environment ?? {}).map(([key, text]): [string, string] => {
            const value = interpolated(String(text ?? ''))
              .replace('nats://nats:4222', `nats://127.0.0.1:${nats.port}`)
              .replace(/^\/(data|tmp)\b/, `${data.path}/${name}`);
            return [key, value];
          });
          const program = Array.isArray(command) ? command.at(-1)! : 'apps/shop/dist/main.js';
          const process = new DocsProcess(
            program,
            { ports: { 3000: port } },
            { PORT: '3000', ...Object.fromEntries(env) },
          );
          await until(`${name} to be ready`, () => isReady(port));
          expect([name, await succeeds(healthcheck!.test.slice(1), port)]).toEqual([name, true]);
          return { name, process };
        }),
      );
      const stopped = await Promise.all(
        running.map(async ({ name, process }) => {
          const { code, complaints } = await process.stop();
          return { name, code, complaints };
        }),
      );
      expect(stopped).toEqual(services.map(([name]) => ({ name, code: 0, complaints: [] })));
    } finally {
      await AppProcess.killAll();
      await Promise.all([nats.stop(), data.remove()]);
    }
  }, 60_000);
});
