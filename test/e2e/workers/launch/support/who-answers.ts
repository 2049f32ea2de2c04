import { get } from '../../../../support/http-client.js';

/** Sends requests until this many different processes have answered. @returns their pids */
export async function whoAnswers(port: number, count: number): Promise<Set<number>> {
  const pids = new Set<number>();
  for (let n = 0; n < 200 && pids.size < count; n++) pids.add(Number((await get(port)).body));
  return pids;
}
