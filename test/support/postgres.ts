import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { installPackages, type LocalServer, startLocalServer } from './local-server.js';
import { runOrThrow, type User } from './run-command.js';
import { until } from './until.js';

const DEBIAN_FOLDER = '/usr/lib/postgresql';
const OWNER = 'roost';

/**
 * PostgreSQL from Debian's package, on the loopback address, with its data in a temporary folder. Start one per suite:
 * that takes a second or two. Give each test its own database.
 */
export class Postgres {
  readonly #server: LocalServer;
  readonly #admin: Client;
  readonly #clients: Client[] = [];
  #databases = 0;

  private constructor(server: LocalServer, admin: Client) {
    this.#server = server;
    this.#admin = admin;
  }

  /** Installs the package if it is missing. */
  static install(): Promise<void> {
    return installPackages({ postgresql: 'psql' });
  }

  static async start(): Promise<Postgres> {
    const user = await unprivilegedUser();
    const server = await startLocalServer({
      command: serverCommand('postgres'),
      user,
      prepare: (dir) => initialize(join(dir, 'data'), user),
      args: (port, dir) => [
        ...['-D', join(dir, 'data'), '-p', String(port)],
        ...settings({
          listen_addresses: '127.0.0.1',
          unix_socket_directories: '',
          // Nothing has to survive a crash.
          ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
          // Shows whether a client closed its connection or just disappeared.
          ...{ log_min_messages: 'debug1', log_line_prefix: '%d %q' },
        }),
      ],
      isReady: answers,
      // A fast shutdown, which leaves no shared memory behind.
      stopSignal: 'SIGINT',
    });
    return new Postgres(server, await connect(urlOf(server.port, 'postgres')));
  }

  /** Creates an empty database and returns its URL. */
  async createDatabase(): Promise<string> {
    const name = `test_${++this.#databases}`;
    await this.#admin.query(`CREATE DATABASE ${name}`);
    return urlOf(this.#server.port, name);
  }

  /** Opens a connection of the test itself, which ends with the server at the latest. */
  async connect(url: string): Promise<Client> {
    const client = await connect(url);
    this.#clients.push(client);
    return client;
  }

  /** Number of connections to the database of this URL, except the ones from `connect()`. */
  async connectionsTo(url: string): Promise<number> {
    const { rows } = await this.#admin.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = $1 AND application_name <> 'test'`,
      [databaseOf(url)],
    );
    return rows[0]!.count;
  }

  /** Blocks writes to a table until the returned function is called. Reads pass. */
  async blockWrites(url: string, table: string): Promise<() => Promise<unknown>> {
    const client = await this.connect(url);
    await client.query(`BEGIN; LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
    return () => client.query('COMMIT');
  }

  /** Waits until a statement on the database of this URL waits for a lock. */
  async blocked(url: string): Promise<void> {
    const text = `SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'`;
    await until('a blocked statement', async () => (await this.#admin.query(text, [databaseOf(url)])).rowCount);
  }

  /** Lines of the server's log about clients of this database that disappeared without closing their connection. */
  lostClients(url: string): string[] {
    const prefix = `${databaseOf(url)} `;
    return this.#server.output
      .split('\n')
      .filter((line) => line.startsWith(prefix) && /unexpected EOF|could not receive|Connection reset/.test(line));
  }

  async stop(): Promise<void> {
    await Promise.all([this.#admin, ...this.#clients].map((client) => client.end()));
    await this.#server.stop();
  }
}

const connect = async (url: string): Promise<Client> => {
  const client = new Client({ connectionString: url, application_name: 'test' });
  // The caller of `connect()` or `query()` gets the error anyway.
  client.on('error', () => undefined);
  await client.connect();
  return client;
};

const answers = async (port: number): Promise<boolean> => {
  try {
    await (await connect(urlOf(port, 'postgres'))).end();
    return true;
  } catch {
    return false;
  }
};

const urlOf = (port: number, database: string): string => `postgres://${OWNER}@127.0.0.1:${port}/${database}`;

const databaseOf = (url: string): string => new URL(url).pathname.slice(1);

const settings = (values: Record<string, string>): string[] =>
  Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** Debian keeps the server's programs out of PATH, in a folder per major version. */
const serverCommand = (name: string): string => {
  const versions = readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(a) - Number(b));
  return join(DEBIAN_FOLDER, versions.at(-1)!, 'bin', name);
};

/** PostgreSQL refuses to run as root. */
const unprivilegedUser = async (): Promise<User | undefined> => {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => runOrThrow('id', [flag, 'nobody'])));
  return { uid: Number(uid), gid: Number(gid) };
};

const initialize = async (folder: string, user: User | undefined): Promise<void> => {
  const args = ['-D', folder, '-U', OWNER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await runOrThrow(serverCommand('initdb'), args, '/', user);
};
