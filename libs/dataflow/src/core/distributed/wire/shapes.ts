import { MalformedMessageError } from '../../errors/malformed-message.error.js';
import type { ProtocolMessage } from './messages.js';

type Check = (value: unknown) => boolean;
type RareKind = Exclude<ProtocolMessage['kind'], 'data' | 'credit' | 'report' | 'grant'>;

const MAX_TEXT = 100_000;

const isText: Check = (value) => typeof value === 'string' && value.length <= MAX_TEXT;
const isNumber: Check = (value) => Number.isFinite(value);
const isIndex: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isBoolean: Check = (value) => typeof value === 'boolean';
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
/** Nanoseconds, NEVER or FOREVER. */
export const isTime = (value: unknown): boolean =>
  Number.isSafeInteger(value) || value === Infinity || value === -Infinity;
const isTag: Check = (value) => isObject(value) && isTime(value['time']) && isIndex(value['microstep']);
const isMissingOr =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const isMapOf =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check);
const isListOf =
  (check: Check): Check =>
  (value) =>
    // Rejects holes, because an array of a few bytes can have billions of them.
    Array.isArray(value) && Object.keys(value).length === value.length && value.every(check);
const has =
  (fields: Record<string, Check>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, check]) => check(value[name]));

const isEdgeTag: Check = (value) => Array.isArray(value) && isIndex(value[0]) && isTag(value[1]);
const isNodeReport = has({ tags: isIndex, firings: isIndex, digest: isText });
const isReport = has({
  status: (value) => value === 'completed' || value === 'stopped' || value === 'forced',
  stopTag: isMissingOr(isTag),
  exitCode: isIndex,
  digest: isText,
  nodes: isMapOf(isNodeReport),
  controlMessages: isIndex,
  dataMessages: isIndex,
});

const isResume = has({
  partition: isIndex,
  checkpoint: isTag,
  lastTag: isTag,
  sent: isListOf(isEdgeTag),
  need: isListOf(isEdgeTag),
});

const SHAPES: Record<RareKind, Check> = {
  join: has({ version: isText, address: isText }),
  'stop-request': has({ tag: isTag, isFinal: isBoolean, by: isText }),
  'stop-answer': has({ round: isIndex, partition: isIndex, tag: isTag }),
  'partition-stopped': has({ partition: isIndex, nodes: isMapOf(isNodeReport), dataMessages: isIndex }),
  failed: has({ code: isText, message: isText, exitCode: isIndex }),
  'peer-unreachable': has({ peer: isText, forMs: isNumber }),
  start: has({
    startedAtMs: isNumber,
    addresses: isMapOf(isText),
    resume: isListOf(isResume),
  }),
  'raise-floor': has({ partition: isIndex, tag: isTag }),
  'stop-proposal': has({ round: isIndex, tag: isTag, isFinal: isBoolean }),
  'stop-decision': has({ tag: isTag, isFinal: isBoolean }),
  force: has({ code: isText, message: isText, exitCode: isIndex }),
  'peer-restarted': has({ peer: isText, address: isText }),
  'peer-removed': has({ peer: isText }),
  'edge-closed': has({ edge: isIndex }),
  'planned-stop-reached': has({}),
  'run-ended': has({ report: isReport }),
};

/** Checks a message of one of the rare kinds. @throws MalformedMessageError */
export function assertShape(message: unknown, from: string): asserts message is ProtocolMessage {
  const kind = isObject(message) ? message['kind'] : undefined;
  if (typeof kind === 'string' && Object.hasOwn(SHAPES, kind) && SHAPES[kind as RareKind](message)) return;
  throw new MalformedMessageError(
    from,
    typeof kind === 'string' ? `"${kind.slice(0, 30)}" is unknown or has invalid fields` : 'it has no kind',
  );
}
