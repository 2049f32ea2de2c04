import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installBrokers } from '../support/brokers.js';
import { runCommand, runOrThrow } from '../support/run-command.js';
import { tempDir } from '../support/temp-dir.js';
import { readText } from '../support/workspace.js';

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** The engine caches every build step whose input has not changed. */
export async function buildAppImage(): Promise<string> {
  const tag = 'roost-compose-test';
  const started = performance.now();
  await runOrThrow('docker', [
    ...['build', '--tag', tag, '--build-arg', `NODE_IMAGE=${await nodeImage()}`],
    // For environments where only the host can reach names or registries.
    ...['--network', 'host', '.'],
  ]);
  process.stderr.write(`image of the applications built in ${Math.round((performance.now() - started) / 1000)} s\n`);
  return tag;
}

async function nodeImage(): Promise<string> {
  const wanted = process.env.NODE_IMAGE ?? /ARG NODE_IMAGE=(\S+)/.exec(readText('Dockerfile'))![1]!;
  return (await isThere(wanted)) ? wanted : localNodeImage();
}

export async function natsImage(): Promise<string> {
  const wanted = process.env.NATS_IMAGE ?? 'nats:2';
  if (await isThere(wanted)) return wanted;
  await installBrokers();
  const server = (await runOrThrow('sh', ['-c', 'command -v nats-server'])).trim();
  return imageOf('roost-local-nats', ['FROM scratch', 'COPY root /', `ENTRYPOINT ["${server}"]`], (root) =>
    copyPrograms(root, [server]),
  );
}

/**
 * For environments without an image registry: builds a base image from the Node, npm, certificates and shell of this
 * machine.
 */
const localNodeImage = (): Promise<string> => {
  const node = realpathSync(process.execPath);
  const npm = join(dirname(node), '../lib/node_modules/npm');
  const lines = [
    'FROM scratch',
    'COPY root /',
    'RUN ["/bin/busybox", "--install", "-s", "/bin"]',
    'RUN chmod 1777 /tmp && ln -s /bin/env /usr/bin/env',
    `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
  ];
  return imageOf('roost-local-node', lines, async (root) => {
    await copyPrograms(root, [node, '/bin/busybox']);
    for (const path of [npm, CERTIFICATES]) cpSync(path, join(root, path), { recursive: true, dereference: true });
    for (const name of ['npm', 'npx']) {
      symlinkSync(join(npm, `bin/${name}-cli.js`), join(root, 'usr/bin', name));
    }
    mkdirSync(join(root, 'tmp'));
    writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/:/bin/sh\n');
  });
};

async function imageOf(tag: string, lines: string[], fill: (root: string) => Promise<void>): Promise<string> {
  const dir = await tempDir();
  try {
    await fill(join(dir.path, 'root'));
    writeFileSync(join(dir.path, 'Dockerfile'), lines.join('\n'));
    await runOrThrow('docker', ['build', '--tag', tag, dir.path]);
    return tag;
  } finally {
    await dir.remove();
  }
}

/** Includes the shared libraries that the programs need. */
async function copyPrograms(root: string, programs: string[]): Promise<void> {
  for (const program of programs) {
    const { stdout } = await runCommand('ldd', [program]);
    for (const path of [program, ...(stdout.match(/\/\S+/g) ?? [])]) {
      cpSync(path, join(root, path), { recursive: true, dereference: true });
    }
  }
}

const isThere = async (image: string): Promise<boolean> =>
  (await runCommand('docker', ['image', 'inspect', image])).code === 0 ||
  (await runCommand('docker', ['pull', '--quiet', image])).code === 0;
