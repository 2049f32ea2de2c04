import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { AppProcess } from '../../support/app-process.js';

export interface Answer {
  status: number;
  text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test states what it expects
  body: any;
}

export interface PlacedEntry {
  type: 'placed';
  order: { id: string; cart: string; lines: unknown[]; totalCents: number; placedAt: string };
}

export interface ShippedEntry {
  type: 'shipped';
  id: string;
  at: string;
}

/** Uses a new connection, so that an error concerns only this request. */
export const send = (
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = httpRequest(url, { method, agent: false, headers: { ...type, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('error', reject);
      response.once('end', () => {
        const isJson = response.headers['content-type']?.includes('json');
        resolve({ status: response.statusCode!, text, body: isJson ? JSON.parse(text) : undefined });
      });
    });
    sent.once('error', reject);
    sent.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
  });

/** Parses orders.jsonl. Fails when a line is incomplete. */
export const journalOf = (dataDir: string): (PlacedEntry | ShippedEntry)[] => {
  const lines = readFileSync(join(dataDir, 'orders.jsonl'), 'utf8').split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line) as PlacedEntry | ShippedEntry);
};

export const placedIn = (dataDir: string): PlacedEntry['order'][] =>
  journalOf(dataDir).flatMap((entry) => (entry.type === 'placed' ? [entry.order] : []));

export const shippedIn = (dataDir: string): string[] =>
  journalOf(dataDir).flatMap((entry) => (entry.type === 'shipped' ? [entry.id] : []));

/** Starts a shop and waits until it listens. */
export class Shop {
  private constructor(
    readonly process: AppProcess,
    readonly dataDir: string,
    readonly url: string,
  ) {}

  /** Does not wait for the shop, which may fail to start. */
  static spawn(dataDir: string, env: Record<string, string> = {}): AppProcess {
    return new AppProcess('apps/shop/dist/main.js', { env: { DATA_DIR: dataDir, SHIP_MS: '0', ...env } });
  }

  static async start(dataDir: string, env: Record<string, string> = {}): Promise<Shop> {
    const process = Shop.spawn(dataDir, env);
    const line = await process.line(/^Shop listens on /);
    return new Shop(process, dataDir, line.slice('Shop listens on '.length));
  }

  get(path: string): Promise<Answer> {
    return send('GET', this.url + path);
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return send('POST', this.url + path, body, headers);
  }

  delete(path: string): Promise<Answer> {
    return send('DELETE', this.url + path);
  }

  add(cart: string, sku = 'tea', quantity = 1): Promise<Answer> {
    return this.post(`/carts/${cart}/items`, { sku, quantity });
  }

  checkout(cart: string): Promise<Answer> {
    return this.post(`/carts/${cart}/checkout`);
  }

  /** Returns the id of the order. */
  async order(cart: string): Promise<string> {
    await this.add(cart);
    const { status, body } = await this.checkout(cart);
    expect(status).toBe(201);
    return body.id as string;
  }
}
