import { runCommand } from '../support/run-command.js';

describe('The figures in the README', () => {
  it('match the last run of all benchmarks', async () => {
    const { code, stderr } = await runCommand(process.execPath, ['bench/dist/readme.js', '--check']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }, 30_000);
});
