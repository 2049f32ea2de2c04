import { runCommand } from './run-command.js';

/** `docker compose`, the older `docker-compose`, or undefined. */
export async function composeCommand(): Promise<readonly [string, ...string[]] | undefined> {
  for (const [command, ...args] of [['docker', 'compose'] as const, ['docker-compose'] as const]) {
    const { code } = await runCommand(command, [...args, 'version']).catch(() => ({ code: 1 }));
    if (code === 0) return [command, ...args];
  }
  return undefined;
}
