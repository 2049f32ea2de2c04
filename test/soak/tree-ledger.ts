import type { ActorRef } from '@roost/actors/core';

/** A message of a soak run. Each one is unique, and its fate is recorded. */
export class Letter {
  constructor(
    readonly id: number,
    readonly from: string,
    /** Number of the message from this sender to this receiver, starting at 1. */
    readonly sequence: number,
    readonly plan: string,
  ) {}
}

/** Record of one actor across all its restarts. */
interface ActorRecord {
  readonly label: string;
  readonly children: Set<ActorRef<never>>;
  /** Number of message and signal handlers that have not settled. */
  active: number;
  started: number;
  postStops: number;
  /** Whether its PostStop has settled, or it stopped without one. */
  closed: boolean;
  /** Last sequence number received, by sender. */
  readonly lastSeen: Map<string, number>;
}

/** Records the events of a run and reports broken rules. */
export class TreeLedger {
  readonly problems: string[] = [];
  /** Whether actors have been force-stopped, which does not wait for their handlers. */
  forced = false;
  #ids = 0;
  readonly #sent = new Map<Letter, ActorRef<never>>();
  readonly #seen = new Set<number>();
  readonly #handled = new Map<number, number>();
  readonly #dead = new Map<number, number>();
  readonly #sequences = new Map<ActorRef<never>, Map<string, number>>();
  readonly #actors = new Map<ActorRef<never>, ActorRecord>();

  get counts(): { actors: number; sent: number; handled: number; deadLetters: number } {
    return {
      actors: this.#actors.size,
      sent: this.#sent.size,
      handled: this.#handled.size,
      deadLetters: this.#dead.size,
    };
  }

  spawned(ref: ActorRef<never>, parent: ActorRef<never> | undefined): void {
    const label = `${ref.path}#${this.#actors.size + 1}`;
    this.#actors.set(ref, {
      ...{ label, children: new Set<ActorRef<never>>(), active: 0, started: 0, postStops: 0, closed: false },
      lastSeen: new Map(),
    });
    if (parent) this.#record(parent).children.add(ref);
  }

  letter(from: string, to: ActorRef<never>, plan: string): Letter {
    const sequences = this.#sequences.get(to) ?? new Map<string, number>();
    this.#sequences.set(to, sequences);
    const sequence = (sequences.get(from) ?? 0) + 1;
    sequences.set(from, sequence);
    const letter = new Letter(++this.#ids, from, sequence, plan);
    this.#sent.set(letter, to);
    return letter;
  }

  /** Records that a setup begins, at the start or at a restart. */
  setUp(ref: ActorRef<never>): void {
    const record = this.#enter(ref, 'setup');
    this.#expectChildrenClosed(record, 'a new instance');
    record.children.clear();
  }

  signalled(ref: ActorRef<never>, name: string): void {
    const record = this.#record(ref);
    if (name === 'PostStop') {
      record.postStops++;
      if (record.postStops > 1) this.#problem(`${record.label} got PostStop ${record.postStops} times`);
      if (record.started === 0) this.#problem(`${record.label} got PostStop but had not started`);
      this.#expectChildrenClosed(record, 'its PostStop');
      // A forced PostStop may arrive while a handler is running.
      if (this.forced) record.active = 0;
    }
    if (name === 'PreStart') record.started++;
    if (name === 'PreStart' && record.started > 1) this.#problem(`${record.label} got PreStart twice`);
    this.#enter(ref, name);
  }

  arrived(ref: ActorRef<never>, letter: Letter): void {
    const record = this.#enter(ref, `letter ${letter.id}`);
    if (record.started === 0) this.#problem(`${record.label} got letter ${letter.id} before PreStart`);
    if (record.postStops > 0) this.#problem(`${record.label} got letter ${letter.id} after PostStop`);
    if (this.#seen.has(letter.id)) return;
    this.#seen.add(letter.id);
    const last = record.lastSeen.get(letter.from) ?? 0;
    if (letter.sequence <= last) {
      this.#problem(`${record.label} got number ${letter.sequence} from ${letter.from} after number ${last}`);
    }
    record.lastSeen.set(letter.from, letter.sequence);
  }

  handled(letter: Letter): void {
    count(this.#handled, letter.id);
  }

  wasSeen(letter: Letter): boolean {
    return this.#seen.has(letter.id);
  }

  died(message: unknown): void {
    if (message instanceof Letter) count(this.#dead, message.id);
  }

  /** Records that a handler has settled. */
  left(ref: ActorRef<never>, name?: string): void {
    const record = this.#record(ref);
    record.active = 0;
    if (name === 'PostStop') record.closed = true;
  }

  /** Records a Terminated. By then, every letter from the stopped actor must have arrived or be a dead letter. */
  terminated(watcher: ActorRef<never>, ended: ActorRef<never>): void {
    const from = this.labelOf(ended);
    const sent = this.#sequences.get(watcher)?.get(from) ?? 0;
    const seen = this.#record(watcher).lastSeen.get(from) ?? 0;
    if (seen >= sent) return;
    for (const [letter, to] of this.#sent) {
      if (to !== watcher || letter.from !== from || letter.sequence <= seen || this.#dead.has(letter.id)) continue;
      this.#problem(`${this.labelOf(watcher)} got Terminated of ${from} before letter ${letter.id}`);
    }
  }

  labelOf(ref: ActorRef<never>): string {
    return this.#record(ref).label;
  }

  hasEnded(ref: ActorRef<never>): boolean {
    return this.#record(ref).closed;
  }

  stopped(ref: ActorRef<never>): void {
    const record = this.#actors.get(ref);
    if (!record) return;
    if (record.started > 0 && record.postStops === 0) this.#problem(`${record.label} stopped without PostStop`);
    record.closed = true;
  }

  /** Checks the records after the system has stopped. */
  close(): void {
    for (const { id, from, plan } of this.#sent.keys()) {
      const handled = this.#handled.get(id) ?? 0;
      const dead = this.#dead.get(id) ?? 0;
      if (handled + dead === 1) continue;
      this.#problem(
        `letter ${id} from ${from} (${plan}) was handled ${handled} times and became a dead letter ${dead} times`,
      );
    }
    for (const { label, started, postStops, closed } of this.#actors.values()) {
      if (postStops !== started) this.#problem(`${label} started ${started} times and got PostStop ${postStops} times`);
      if (!closed) this.#problem(`${label} has not stopped`);
    }
  }

  #enter(ref: ActorRef<never>, what: string): ActorRecord {
    const record = this.#record(ref);
    if (record.active > 0) this.#problem(`${record.label} began ${what} while another handler was running`);
    record.active++;
    return record;
  }

  #expectChildrenClosed({ label, children }: ActorRecord, what: string): void {
    for (const child of children) {
      const { closed, started, postStops, label: name } = this.#record(child);
      if (this.forced ? started > postStops : !closed) this.#problem(`${label} got ${what} before ${name} had stopped`);
    }
  }

  #record(ref: ActorRef<never>): ActorRecord {
    return this.#actors.get(ref)!;
  }

  #problem(text: string): void {
    this.problems.push(text);
  }
}

const count = (counts: Map<number, number>, id: number): void => void counts.set(id, (counts.get(id) ?? 0) + 1);
