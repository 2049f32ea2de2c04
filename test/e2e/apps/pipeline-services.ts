import { AppProcess, type AppResult } from '../../support/app-process.js';
import { get } from '../../support/http-client.js';

const NAMES = ['source', 'left', 'right', 'join', 'sink', 'coordinator'] as const;
export type ServiceName = (typeof NAMES)[number];

/** The pipeline as it runs in containers: six programs that connect to a broker. */
export class PipelineServices {
  readonly #services: ReadonlyMap<ServiceName, AppProcess>;

  constructor(natsPort: number, seconds: number) {
    this.#services = new Map(
      NAMES.map((name) => [name, startService({ ...serviceEnv(natsPort, seconds), PIPELINE_PROCESS: name })]),
    );
  }

  get(name: ServiceName): AppProcess {
    return this.#services.get(name)!;
  }

  /** Waits until results have arrived at the end of the pipeline. */
  async flowing(): Promise<void> {
    await this.get('sink').line(/^journal +1 s/);
  }

  /** The status code of each service's readiness probe. */
  async readiness(): Promise<number[]> {
    return Promise.all([...this.#services.values()].map(async (service) => (await probe(service, 'ready')).status));
  }

  /** How each service exited. */
  async end(): Promise<Record<ServiceName, AppResult>> {
    const results = [...this.#services].map(async ([name, service]) => [name, await service.end()] as const);
    return Object.fromEntries(await Promise.all(results)) as Record<ServiceName, AppResult>;
  }

  /** The tag at which the graph stopped, as logged by each service. */
  stopTags(): (string | undefined)[] {
    return [...this.#services.values()].map(({ output }) => /the graph stopped at (\(.*?\))/.exec(output)?.[1]);
  }
}

export const startService = (env: Record<string, string>): AppProcess =>
  new AppProcess('apps/pipeline/dist/service.js', { env });

export const serviceEnv = (natsPort: number, seconds: number): Record<string, string> => ({
  PIPELINE_SECONDS: String(seconds),
  NATS_URL: `nats://127.0.0.1:${natsPort}`,
  PROBE_PORT: '0',
});

export async function probe(service: AppProcess, name: string): ReturnType<typeof get> {
  const port = /:(\d+)\/health/.exec(await service.line(/probes on/))![1];
  return get(Number(port), `/health/${name}`);
}
