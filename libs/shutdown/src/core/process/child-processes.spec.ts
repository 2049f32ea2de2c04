import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { killChildProcesses, trackChildProcesses } from './child-processes.js';

const start = (code: string): ChildProcess => spawn(process.execPath, ['-e', code], { stdio: 'ignore' });

it('kills only running children that were started after tracking began', async () => {
  const before = start('setInterval(() => {}, 1000)');
  trackChildProcesses();
  trackChildProcesses();
  const ended = start('');
  await once(ended, 'exit');
  const alive = start('setInterval(() => {}, 1000)');
  const missing = spawn('/no/such/program');
  await once(missing, 'error');

  killChildProcesses();
  expect(await once(alive, 'exit')).toEqual([null, 'SIGKILL']);
  expect(ended.killed).toBe(false);
  expect(before.killed).toBe(false);
  before.kill('SIGKILL');
  await once(before, 'exit');
});
