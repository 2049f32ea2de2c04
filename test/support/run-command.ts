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
 * Runs a command to its end, without a shell. NODE_OPTIONS is not passed on: jest's own flags would change what is
 * tested. `npm_*` is dropped too, or an npm child takes over settings of the npm that runs the tests.
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

/** As `runCommand`, but a non-zero exit rejects with all that the command printed. */
export const runOrThrow = async (command: string, args: string[], cwd = ROOT, user?: User): Promise<string> => {
  const { code, stdout, stderr } = await runCommand(command, args, cwd, user);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${stdout}\n${stderr}`);
  return stdout;
};
