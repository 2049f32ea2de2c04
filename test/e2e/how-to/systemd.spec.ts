import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_SHUTDOWN_OPTIONS } from '@roost/shutdown';
import { parseDuration } from '@roost/time';
import { blockOf } from '../../support/page-program.js';
import { runCommand } from '../../support/run-command.js';
import { installPackages } from '../../support/local-server.js';
import { tempDir } from '../../support/temp-dir.js';
import { expectToRun, msIn, rowOf } from './deployed.js';

const PAGE = 'docs/how-to/systemd.md';
const unit = blockOf(PAGE, 'orders.service');

const valuesOf = (key: string): string[] =>
  [...unit.matchAll(new RegExp(`^${key}=(.+)$`, 'gm'))].map(([, value]) => value!);
const valueOf = (key: string): string => {
  const values = valuesOf(key);
  expect([key, values.length]).toEqual([key, 1]);
  return values[0]!;
};

const env = Object.fromEntries(valuesOf('Environment').map((pair) => pair.split('=') as [string, string]));
const gracePeriodMs = parseDuration(valueOf('TimeoutStopSec'));

describe('the systemd unit', () => {
  it('passes systemd-analyze verify', async () => {
    await installPackages({ systemd: 'systemd-analyze' });
    const dir = await tempDir();
    const path = join(dir.path, 'orders.service');
    // The node of this machine, since the command of a unit must exist.
    await writeFile(path, unit.replace('/usr/bin/node', process.execPath));
    const { code, stderr } = await runCommand('systemd-analyze', ['verify', '--man=no', path]);
    await writeFile(path, unit.replace('KillMode=mixed', 'KillMode=nonsense'));
    const wrong = await runCommand('systemd-analyze', ['verify', '--man=no', path]);
    await dir.remove();
    expect({ code, stderr: stderr.split('\n').filter((line) => line.includes('orders.service')) }).toEqual({
      code: 0,
      stderr: [],
    });
    expect(wrong.stderr).toContain('nonsense');
  }, 300_000);

  it('sends a signal that begins a shutdown, to the main process alone', () => {
    expect(DEFAULT_SHUTDOWN_OPTIONS.signals).toContain(valueOf('KillSignal'));
    expect(valueOf('KillMode')).toBe('mixed');
  });

  it('boots the application without a warning, and stops it within TimeoutStopSec', async () => {
    const [node, ...args] = valueOf('ExecStart').split(' ');
    expect(node).toBe('/usr/bin/node');
    await expectToRun({ command: ['node', ...args], env, gracePeriodMs, probes: ['/health/ready'] });
  }, 60_000);
});

describe('the table of the systemd page', () => {
  it('has the values of the unit and the defaults of Roost', () => {
    expect(msIn(rowOf(PAGE, 'TimeoutStopSec')[0])).toBe(gracePeriodMs);
    expect(rowOf(PAGE, 'ROOST_TIMEOUT_MS').slice(0, 2).map(msIn)).toEqual([
      parseDuration(env['ROOST_TIMEOUT_MS']!),
      DEFAULT_SHUTDOWN_OPTIONS.timeoutMs,
    ]);
    expect(rowOf(PAGE, 'KillSignal')[0]).toBe(valueOf('KillSignal'));
    expect(rowOf(PAGE, 'KillSignal')[2]).toContain(DEFAULT_SHUTDOWN_OPTIONS.signals.join(', '));
    expect(rowOf(PAGE, 'KillMode')[0]).toBe(valueOf('KillMode'));
  });
});
