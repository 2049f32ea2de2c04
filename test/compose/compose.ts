import { randomBytes } from 'node:crypto';
import { composeCommand } from '../support/compose-command.js';
import { runOrThrow } from '../support/run-command.js';
import { afterThisProcess } from './after-this-process.js';
import { type Container, inspect } from './container.js';
import { EngineEvents } from './events.js';

/** Cleans up after a run that ends before `remove`. */
const REMOVE = `
  of="label=com.docker.compose.project=$1"
  docker rm -f -v $(docker ps -aq --filter "$of")
  docker volume rm $(docker volume ls -q --filter "$of")
  docker network rm $(docker network ls -q --filter "$of")`;

/** The applications of `docker-compose.yml` under a unique project name. */
export class ComposeProject {
  readonly name = `roost-${process.pid}-${randomBytes(3).toString('hex')}`;
  readonly events = new EngineEvents(this.name);
  readonly #env: Record<string, string>;
  readonly #compose = composeCommand();
  readonly #callOff = afterThisProcess(REMOVE, this.name);

  /** @param env variables for the compose file, mainly images and ports */
  constructor(env: Record<string, string>) {
    // Without the profiles, compose ignores services that are not named.
    this.#env = { COMPOSE_PROFILES: 'pipeline,fleet', ...env };
  }

  /** Starts services, or recreates them if their environment has changed. Does not wait for them. */
  async up(services: string[], { env = {}, args = [] }: { env?: Record<string, string>; args?: string[] } = {}) {
    Object.assign(this.#env, env);
    await this.run('up', '--detach', '--no-build', ...args, ...services);
  }

  async run(...args: string[]): Promise<string> {
    const compose = (await this.#compose)!;
    const env = Object.entries(this.#env).map(([name, value]) => `${name}=${value}`);
    const files = ['-f', 'docker-compose.yml', '-f', 'test/compose/quick-health.yml'];
    return runOrThrow('env', [...env, ...compose, '--project-name', this.name, ...files, ...args]);
  }

  /** The containers of a service, oldest first, including exited ones. */
  async containers(service: string): Promise<Container[]> {
    const labels = [`com.docker.compose.project=${this.name}`, `com.docker.compose.service=${service}`];
    const filters = labels.flatMap((label) => ['--filter', `label=${label}`]);
    const ids = (await runOrThrow('docker', ['ps', '--all', '--quiet', '--no-trunc', ...filters])).split('\n');
    const found = await inspect(ids.filter(Boolean));
    return found.sort((a, b) => a.createdAt - b.createdAt);
  }

  async container(service: string): Promise<Container> {
    const [one, ...others] = await this.containers(service);
    if (!one || others.length > 0) throw new Error(`${service} has ${others.length + (one ? 1 : 0)} containers`);
    return one;
  }

  /** The complete output of its containers. */
  async logs(service: string): Promise<string> {
    return this.run('logs', '--no-color', service);
  }

  async remove(): Promise<void> {
    this.events.close();
    await this.run('down', '--volumes', '--remove-orphans', '--timeout', '0');
    this.#callOff();
  }
}

/** Sends a signal to the first process of a container. */
export const signal = (container: Container, name: NodeJS.Signals): Promise<string> =>
  runOrThrow('docker', ['kill', '--signal', name, container.id]);

/** Runs an additional program in the container. */
export const exec = (container: Container, ...command: string[]): Promise<string> =>
  runOrThrow('docker', ['exec', container.id, ...command]);

/** Reads a file of a container, even if the container has exited. */
export const readFrom = (container: Container, path: string): Promise<string> =>
  runOrThrow('sh', ['-c', 'docker cp "$1:$2" - | tar -xO', 'sh', container.id, path]);

/** Lists the files below a folder of a container. */
export const listFrom = async (container: Container, path: string): Promise<string[]> =>
  (await runOrThrow('sh', ['-c', 'docker cp "$1:$2" - | tar -t', 'sh', container.id, path])).split('\n');
