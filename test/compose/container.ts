import { runOrThrow } from '../support/run-command.js';

export interface Container {
  readonly id: string;
  readonly createdAt: number;
  readonly status: 'created' | 'running' | 'restarting' | 'exited';
  /** 0 while it runs. */
  readonly exitCode: number;
  readonly isOutOfMemory: boolean;
  /** Number of restarts by the engine. */
  readonly restarts: number;
  /** Address in the network of the project, while it runs. */
  readonly url: string;
}

interface Inspected {
  Id: string;
  Created: string;
  RestartCount: number;
  State: { Status: Container['status']; ExitCode: number; OOMKilled: boolean };
  NetworkSettings: { Networks: Record<string, { IPAddress: string }> };
}

export const inspect = async (ids: string[]): Promise<Container[]> => {
  if (ids.length === 0) return [];
  const found = JSON.parse(await runOrThrow('docker', ['inspect', ...ids])) as Inspected[];
  return found.map(({ Id, Created, RestartCount, State, NetworkSettings }) => ({
    id: Id,
    createdAt: Date.parse(Created),
    status: State.Status,
    exitCode: State.ExitCode,
    isOutOfMemory: State.OOMKilled,
    restarts: RestartCount,
    // Avoids the published port: its proxy accepts connections even if the container no longer does.
    url: `http://${Object.values(NetworkSettings.Networks)[0]!.IPAddress}:3000`,
  }));
};
