import type { OrderLine, PlacedOrder } from './order.js';

export type JournalEntry =
  | { readonly type: 'placed'; readonly order: PlacedOrder }
  | { readonly type: 'shipped'; readonly id: string; readonly at: string };

/** @throws Error if the shop did not write this line */
export function parseEntry(line: string): JournalEntry {
  const entry = JSON.parse(line) as Partial<Record<string, unknown>> | null;
  if (entry?.['type'] === 'placed' && isOrder(entry['order'])) return { type: 'placed', order: entry['order'] };
  const { id, at } = entry ?? {};
  if (entry?.['type'] === 'shipped' && isText(id) && isText(at)) return { type: 'shipped', id, at };
  throw new Error('not a journal entry');
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isLine = (value: unknown): value is OrderLine =>
  isRecord(value) &&
  isText(value['sku']) &&
  Number.isSafeInteger(value['quantity']) &&
  Number.isSafeInteger(value['priceCents']);

const isOrder = (value: unknown): value is PlacedOrder =>
  isRecord(value) &&
  isText(value['id']) &&
  isText(value['cart']) &&
  Array.isArray(value['lines']) &&
  value['lines'].every(isLine) &&
  Number.isSafeInteger(value['totalCents']) &&
  isText(value['placedAt']);
