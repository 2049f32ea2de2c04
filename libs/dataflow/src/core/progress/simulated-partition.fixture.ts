import { earlierOf, FOREVER, isBefore, isSame, laterOf, NEVER, nextMicrostep, plus, type Tag } from '../time/tag.js';
import type { GraphSpec, TimerSpec } from './graphs.fixture.js';
import type { PartitionEdge } from './partition-edge.js';
import type { EdgeTag, Grant, Report } from './progress-tracker.js';

export interface Message {
  readonly edge: number;
  readonly tag: Tag;
  readonly value: number;
  readonly hops: number;
}

interface Moment {
  readonly tag: Tag;
  readonly messages: Message[];
  hops: number;
}

const keyOf = ({ time, microstep }: Tag): string => `${time}:${microstep}`;
const mix = (state: number, value: number): number => Math.imul(state ^ value, 0x9e3779b1) ^ (state >>> 15);

/** A partition whose behavior depends only on its tags and inputs. It throws when an input arrives too late. */
export class SimulatedPartition {
  readonly trace: string[] = [];
  /** Whether there is something to report. */
  isDirty = true;
  readonly #moments = new Map<string, Moment>();
  readonly #hidden: TimerSpec[];
  readonly #outgoing: readonly (readonly [number, PartitionEdge])[];
  readonly #received = new Map<number, Tag>();
  readonly #lastSent = new Map<number, Tag>();
  #sent: EdgeTag[] = [];
  #got = new Map<number, Tag>();
  #grant: Pick<Grant, 'bound' | 'need'> = { bound: NEVER, need: [] };
  #current = NEVER;
  #state: number;

  constructor(
    readonly index: number,
    private readonly graph: GraphSpec,
  ) {
    const { timers, isPhysical } = graph.partitions[index]!;
    this.#state = index + 1;
    this.#outgoing = [...graph.edges.entries()].filter(([, { from }]) => from === index);
    this.#hidden = timers.toSorted(({ tag: a }, { tag: b }) => (isBefore(a, b) ? -1 : 1));
    if (!isPhysical) while (this.#hidden.length > 0) this.reveal();
  }

  /** Tag of its next known event. */
  get next(): Tag {
    return [...this.#moments.values()].map(({ tag }) => tag).reduce(earlierOf, FOREVER);
  }

  /** No external input gets an earlier tag. */
  get floor(): Tag {
    return this.#hidden[0]?.tag ?? FOREVER;
  }

  /** Whether its own floor keeps it from continuing. */
  get holdsItselfBack(): boolean {
    return !isSame(this.next, FOREVER) && !isBefore(this.next, this.floor);
  }

  get isReady(): boolean {
    const { bound, need } = this.#grant;
    const hasAll = need.every(([edge, tag]) => !isBefore(this.#received.get(edge) ?? NEVER, tag));
    return hasAll && isBefore(this.next, bound) && isBefore(this.next, this.floor);
  }

  accept(grant: Grant): void {
    this.#grant = grant;
  }

  /** Accepts the external input at the floor. The next one can only be later. */
  reveal(): void {
    const { tag, hops } = this.#hidden.shift()!;
    this.#schedule(tag, hops);
    this.isDirty = true;
  }

  receive(message: Message): void {
    const { edge, tag } = message;
    if (!isBefore(this.#current, tag)) throw new Error(`partition ${this.index} received ${keyOf(tag)} too late`);
    this.#momentAt(tag).messages.push(message);
    this.#received.set(edge, tag);
    this.#got.set(edge, tag);
  }

  report(): Report {
    const report = {
      partition: this.index,
      net: earlierOf(this.next, this.floor),
      sent: this.#sent,
      got: [...this.#got],
    };
    this.#sent = [];
    this.#got = new Map();
    this.isDirty = false;
    return report;
  }

  /** Handles its next tag. @returns the messages that it sends */
  step(): Message[] {
    const moment = this.#moments.get(keyOf(this.next))!;
    const { tag } = moment;
    this.#moments.delete(keyOf(tag));
    this.#current = tag;
    this.isDirty = true;
    const messages = moment.messages.toSorted((a, b) => a.edge - b.edge);
    this.trace.push(`${keyOf(tag)} ${messages.map(({ edge, value }) => `${edge}=${value}`).join()}`);
    for (const part of [tag.time, tag.microstep, ...messages.flatMap(({ edge, value }) => [edge, value])]) {
      this.#state = mix(this.#state, part);
    }
    const hops = Math.max(moment.hops, ...messages.map((message) => message.hops)) - 1;
    if (hops <= 0) return [];
    if (!this.graph.forwards && this.#state % 4 === 0) this.#schedule(plus(tag, { time: 2, microstep: 0 }), hops);
    if (!this.graph.forwards && this.#state % 4 === 1) this.#schedule(nextMicrostep(tag), hops);
    const chosen = this.#outgoing.filter(([edge]) => this.graph.forwards || (this.#state >>> (edge % 16)) % 3 > 0);
    return chosen.map(([edge, { delay }]) => this.#send(edge, plus(tag, delay), hops));
  }

  /** A delay in time drops microsteps, so messages that would arrive together get successive microsteps. */
  #send(edge: number, earliest: Tag, hops: number): Message {
    const tag = laterOf(earliest, nextMicrostep(this.#lastSent.get(edge) ?? NEVER));
    this.#lastSent.set(edge, tag);
    this.#sent.push([edge, tag]);
    return { edge, tag, value: mix(this.#state, edge) % 1000, hops };
  }

  #schedule(tag: Tag, hops: number): void {
    const moment = this.#momentAt(tag);
    moment.hops = Math.max(moment.hops, hops);
  }

  #momentAt(tag: Tag): Moment {
    const known = this.#moments.get(keyOf(tag));
    if (known) return known;
    const moment: Moment = { tag, messages: [], hops: 0 };
    this.#moments.set(keyOf(tag), moment);
    return moment;
  }
}
