import { request } from 'node:http';

/** On a connection of its own. */
export const get = (port: number, path = '/'): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      let body = '';
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => (body += chunk))
        .on('end', () => resolve({ status: response.statusCode!, body }))
        .on('error', reject);
    })
      .on('error', reject)
      .end();
  });

/** Asks until each of so many processes has answered. @returns their pids */
export async function whoAnswers(port: number, count: number): Promise<Set<number>> {
  const pids = new Set<number>();
  for (let n = 0; n < 200 && pids.size < count; n++) pids.add(Number((await get(port)).body));
  return pids;
}
