import { runCommand } from '../support/run-command.js';

describe('the figures in the README', () => {
  it('are those of the last run of all benchmarks', async () => {
    const { code, stderr } = await runCommand(process.execPath, ['bench/dist/readme.js', '--check']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }, 30_000);
});
