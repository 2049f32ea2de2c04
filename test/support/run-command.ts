import { spawn } from 'node:child_process';
import { ROOT } from './workspace.js';

/** Ids of the user that a command runs as. Needs root. */
export interface User {
  uid: number;
  gid: number;
}

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command until it exits, without a shell. Does not pass NODE_OPTIONS on, because jest's flags would change the
 * program under test, nor `npm_*`, because an npm child would inherit settings of the npm that runs the tests.
 */
export const runCommand = (command: string, args: string[], cwd = ROOT, user?: User): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([key]) => key !== 'NODE_OPTIONS' && !key.startsWith('npm_')),
    );
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], ...user });
    const result: CommandResult = { code: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (result.stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (result.stderr += chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...result, code }));
  });

/** Like `runCommand`, but rejects with the complete output when the exit code is not 0. */
export const runOrThrow = async (command: string, args: string[], cwd = ROOT, user?: User): Promise<string> => {
  const { code, stdout, stderr } = await runCommand(command, args, cwd, user);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${stdout}\n${stderr}`);
  return stdout;
};
