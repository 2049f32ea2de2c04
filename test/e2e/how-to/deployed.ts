import { parseDuration } from '@roost/time';
import { AppProcess } from '../../support/app-process.js';
import { get, request } from '../../support/http-client.js';
import { startPage } from '../../support/page-program.js';
import { runCommand } from '../../support/run-command.js';
import { Upstream } from '../../support/upstream.js';
import { readText } from '../../support/workspace.js';

/** The application that all pages on deployment share. */
const APPLICATION = 'docs/how-to/kubernetes.md';
/** Time that a process may need after its deadline to write its output. */
const OUTPUT_MS = 2_000;

/** How a manifest starts and stops the application. */
export interface Manifest {
  command: string[];
  env: Record<string, string>;
  gracePeriodMs: number;
  /** Paths that are asked on the port of the application. */
  probes: string[];
  /** Command that exits with 0 if the application is healthy. */
  healthCheck?: string[];
}

/**
 * Boots the application with the environment of a manifest, asks its probes, and stops it with a request in flight.
 * Throws if a value of the manifest does not fit, if there is a warning, or if the stop is not clean.
 */
export const expectToRun = async (manifest: Manifest): Promise<void> => {
  const { command, env, gracePeriodMs, probes, healthCheck } = manifest;
  expect(command).toEqual(['node', '--import', '@roost/shutdown/early', 'dist/main.js']);
  expect(parseDuration(env['ROOST_TIMEOUT_MS']!) + OUTPUT_MS).toBeLessThanOrEqual(gracePeriodMs);
  const { PORT: manifestPort, ...rest } = env;
  const isHealthy = async (port: number): Promise<boolean> => {
    const [, ...args] = healthCheck!.map((word) => word.replace(`:${manifestPort}/`, `:${port}/`));
    return (await runCommand(process.execPath, args)).code === 0;
  };
  const warehouse = await Upstream.start();
  try {
    const nodeArgs = command.slice(1, -1);
    const { app, port } = await startPage(APPLICATION, { nodeArgs, env: { ...rest, WAREHOUSE_URL: warehouse.url } });
    for (const path of probes) expect([path, (await get(port, path)).status]).toEqual([path, 200]);
    if (healthCheck) expect(await isHealthy(port)).toBe(true);
    const inFlight = request(port, '/orders', { method: 'POST' });
    await warehouse.arrived();

    const from = performance.now();
    app.kill('SIGTERM');
    await app.line(/shutdown started/);
    expect((await get(port, '/health/ready')).status).toBe(503);
    expect((await get(port, '/health/live')).status).toBe(200);
    if (env['ROOST_DRAIN_LAME_DUCK_MS']) {
      const late = request(port, '/orders', { method: 'POST' });
      await warehouse.arrived(2);
      warehouse.release();
      expect((await late).status).toBe(201);
    } else {
      expect((await request(port, '/orders', { method: 'POST' })).status).toBe(503);
      warehouse.release();
    }

    expect(await inFlight).toMatchObject({ status: 201, body: 'placed' });
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(performance.now() - from).toBeLessThan(gracePeriodMs);
    expect(app.lines(/WARN|ERROR/)).toEqual([]);
    if (healthCheck) expect(await isHealthy(port)).toBe(false);
  } finally {
    await AppProcess.killAll();
    await warehouse.stop();
  }
};

/** The cells of the row of a page's table that begins with this name in code. */
export const rowOf = (page: string, name: string): string[] => {
  const row = readText(page)
    .split('\n')
    .find((line) => line.startsWith(`| \`${name}\` `));
  if (!row) throw new Error(`${page} has no row for ${name}`);
  return row
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());
};

/** `30 s` at the beginning of a cell, in ms. */
export const msIn = (cell: string | undefined): number => Number(/^(\d+) s\b/.exec(cell ?? '')?.[1]) * 1_000;
