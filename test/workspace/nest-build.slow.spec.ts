import { join } from 'node:path';
import { runCommand } from '../support/run-command.js';
import { ROOT } from '../support/workspace.js';

describe('nest build --all', () => {
  it('builds every lib and app', async () => {
    const cli = join(ROOT, 'node_modules/@nestjs/cli/bin/nest.js');
    const { code, stdout, stderr } = await runCommand(process.execPath, [cli, 'build', '--all']);
    expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
  }, 120_000);
});
