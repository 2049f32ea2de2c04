import { BOOT_TIMEOUT_MS, MAX_WAIT_MS, RESTART } from './child-slots.fixture.js';

const KILL_AFTER_MS = MAX_WAIT_MS + 1_000;

interface Kid {
  readonly startedAt: number;
  isUp: boolean;
  word: 'stop' | 'replaced' | '';
  killAt: number;
  isKilled: boolean;
}

class ModelSlot {
  current!: Kid;
  successor: Kid | undefined;
  /** All living children, oldest first. */
  kids: Kid[] = [];
  restartAt = Infinity;
  isFailed = false;
  inARow = 0;
  wellSince = 0;
}

/** Predicts what slots must do, without promises and timers. One event happens at a time. */
export class SlotsModel {
  now = 0;
  started = 0;
  isStopping = false;
  readonly slots: ModelSlot[];
  /** Progress of a rolling restart, and the child it waits for: to be up, or to exit. */
  roll: { at: number; kid: Kid; until: 'up' | 'replaced' | 'given up' } | undefined;

  constructor(count: number) {
    this.slots = Array.from({ length: count }, () => new ModelSlot());
    for (const slot of this.slots) this.#fill(slot);
  }

  /** One line per slot: its state, and for each child its start time and the requests it has received. */
  describe(): string[] {
    return this.slots.map((slot) => {
      const kids = slot.kids.map(({ startedAt, word, isKilled }) => `${startedAt}${word}${isKilled ? '!' : ''}`);
      return `${this.#stateOf(slot)} ${kids.join()}`;
    });
  }

  ready(slot: ModelSlot, kid: Kid): void {
    if (kid.word !== '' || kid.isKilled) return;
    kid.isUp = true;
    if (this.isStopping || this.roll?.kid !== kid || this.roll.until !== 'up') return;
    const old = slot.kids.find((one) => one !== kid);
    if (slot.successor === kid) this.#promote(slot);
    if (!old) return this.#rollFrom(this.roll.at + 1);
    this.#tell(old, 'replaced');
    this.roll = { at: this.roll.at, kid: old, until: 'replaced' };
  }

  exit(slot: ModelSlot, kid: Kid): void {
    slot.kids = slot.kids.filter((one) => one !== kid);
    if (this.isStopping) return;
    const wasAwaited = this.roll?.kid === kid && this.roll;
    if (slot.current === kid && slot.successor) this.#promote(slot);
    else if (slot.current === kid) this.#onUnaskedEnd(slot);
    if (slot.successor === kid) slot.successor = undefined;
    if (wasAwaited && wasAwaited.until === 'replaced') this.#rollFrom(wasAwaited.at + 1);
    else if (wasAwaited) this.roll = undefined;
  }

  beginRoll(): void {
    if (!this.roll && !this.isStopping) this.#rollFrom(0);
  }

  stop(): void {
    this.isStopping = true;
    for (const slot of this.slots) {
      slot.restartAt = Infinity;
      for (const kid of slot.kids) this.#tell(kid, 'stop');
    }
  }

  advance(ms: number): void {
    const end = this.now + ms;
    for (let due = this.#nextDue(); due <= end; due = this.#nextDue()) {
      this.now = due;
      for (const slot of this.slots) this.#act(slot);
      if (this.#bootLimit === due) this.#giveUpRoll();
    }
    this.now = end;
  }

  #nextDue(): number {
    const times = this.slots.flatMap(({ restartAt, kids }) => [restartAt, ...kids.map(({ killAt }) => killAt)]);
    return Math.min(this.#bootLimit, ...times);
  }

  get #bootLimit(): number {
    return this.roll?.until === 'up' && !this.isStopping ? this.roll.kid.startedAt + BOOT_TIMEOUT_MS : Infinity;
  }

  #act(slot: ModelSlot): void {
    if (slot.restartAt === this.now) this.#fill(slot);
    for (const kid of slot.kids) {
      if (kid.killAt !== this.now) continue;
      kid.killAt = Infinity;
      kid.isKilled = true;
    }
  }

  #giveUpRoll(): void {
    const { at, kid } = this.roll!;
    const slot = this.slots[at]!;
    if (slot.successor !== kid) return void (this.roll = undefined);
    slot.successor = undefined;
    kid.isKilled = true;
    this.roll = { at, kid, until: 'given up' };
  }

  #rollFrom(at: number): void {
    this.roll = undefined;
    const slot = this.slots[at];
    if (!slot) return;
    if (slot.isFailed) return this.#rollFrom(at + 1);
    if (slot.restartAt < Infinity) this.#fill(slot);
    const isNew = !slot.current.isUp;
    if (isNew && this.now - slot.current.startedAt >= BOOT_TIMEOUT_MS) return;
    this.roll = { at, kid: isNew ? slot.current : (slot.successor = this.#start(slot)), until: 'up' };
  }

  #onUnaskedEnd(slot: ModelSlot): void {
    if (this.now - slot.wellSince >= RESTART.resetAfterMs) slot.inARow = 0;
    slot.inARow++;
    slot.isFailed = slot.inARow > RESTART.maxRestarts;
    if (!slot.isFailed) slot.restartAt = this.now + Math.min(RESTART.maxMs, RESTART.minMs * 2 ** (slot.inARow - 1));
  }

  #fill(slot: ModelSlot): void {
    slot.restartAt = Infinity;
    slot.wellSince = this.now;
    slot.current = this.#start(slot);
  }

  #promote(slot: ModelSlot): void {
    slot.wellSince = this.now;
    slot.current = slot.successor!;
    slot.successor = undefined;
  }

  #start(slot: ModelSlot): Kid {
    const kid: Kid = { startedAt: this.now, isUp: false, word: '', killAt: Infinity, isKilled: false };
    slot.kids.push(kid);
    this.started++;
    return kid;
  }

  #tell(kid: Kid, word: 'stop' | 'replaced'): void {
    if (kid.word !== '' || kid.isKilled) return;
    kid.word = word;
    kid.killAt = this.now + KILL_AFTER_MS;
  }

  #stateOf(slot: ModelSlot): string {
    if (slot.restartAt < Infinity) return 'restarting';
    if (this.isStopping && slot.kids.length > 0) return 'stopping';
    if (slot.isFailed) return 'failed';
    if (this.isStopping) return 'stopped';
    return slot.current.isUp ? 'running' : 'starting';
  }
}
