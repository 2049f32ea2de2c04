import { randomInt } from 'node:crypto';
import type { Timer } from '@roost/time';
import type { DataflowError } from '../errors/dataflow.error.js';
import { AckDebt } from './ack-debt.js';
import type { ChannelOptions, ChannelState } from './channel-options.js';
import { EdgeLossError } from './errors/edge-loss.error.js';
import * as packet from './packet.js';
import { Receipts } from './receipts.js';
import { SendBuffer } from './send-buffer.js';

/** What is under way at most. The rest waits as it is, without a copy in the buffers of a socket. */
const WINDOW_BYTES = 4 * 1024 * 1024;
/** A question that is not answered, or a frame that is not acknowledged, for so long makes it ask again. */
const RETRY_MS = 1_000;
const MAX_U32 = 2 ** 32 - 1;

/**
 * A stream of messages to one peer and one from it: each arrives once and in order, through broken connections and lost
 * or repeated frames.
 *
 * A session is between two incarnations. Frames carry both, so whatever is left of an earlier life is recognised. A frame
 * is kept until the peer has acknowledged it. After each new connection, and when something seems lost, a side asks what
 * the other has received, sends nothing meanwhile, and goes on from the answer. Since the question travels behind the
 * frames, what it does not find received is lost: nothing is sent twice without need.
 *
 * Received means that the other process has it, not that it is done with it.
 */
export class Channel {
  readonly #self: number;
  readonly #buffer = new SendBuffer();
  readonly #receipts = new Receipts();
  readonly #debt: AckDebt;
  // Each is written again for every frame of its kind: a transport copies it.
  readonly #ackHead = new Uint8Array(packet.ACK_BYTES);
  readonly #dataHead = new Uint8Array(packet.DATA_HEAD_BYTES);
  readonly #syncHead = new Uint8Array(packet.SYNC_BYTES);
  /** Lives of the peer that are over: their frames may still be on their way. */
  readonly #gone = new Set<number>();
  #state: ChannelState = 'waiting';
  #isConnected = false;
  /** Whether the owner knows that it is open. */
  #isAnnounced = false;
  /** The incarnation of the peer, 0 until it is known. */
  #other = 0;
  #restartedAs = 0;
  /** The newest frame that has come in order. */
  #received = 0;
  #question = 0;
  #retryTimer: Timer | undefined;

  constructor(private readonly options: ChannelOptions) {
    this.#self = options.incarnation ?? randomInt(1, MAX_U32);
    this.#debt = new AckDebt(options.clock, () => this.#sendAck());
  }

  get state(): ChannelState {
    return this.#state;
  }

  /** Frames that the peer has not acknowledged, sent or not. */
  get unackedFrames(): number {
    return this.#buffer.size;
  }

  get unackedBytes(): number {
    return this.#buffer.bytes;
  }

  /** Never blocks and never fails: what cannot be sent now is kept. The bytes must not be changed any more. */
  send(payload: Uint8Array): void {
    if (this.#state === 'ended') return;
    this.#buffer.push(payload);
    if (this.#state === 'open') this.#pump();
  }

  /** True when the peer has received all that was sent until now; false when the stream ends, or begins anew, before. */
  acked(): Promise<boolean> {
    if (this.#buffer.size === 0) return Promise.resolve(true);
    if (this.#state === 'ended') return Promise.resolve(false);
    return this.#receipts.of(this.#buffer.newest);
  }

  /** There is a connection, or a new one: what was under way may be lost. */
  up(): void {
    this.#isConnected = true;
    if (this.#isHeld) return;
    this.#isAnnounced = false;
    this.#ask();
  }

  down(): void {
    this.#isConnected = false;
    if (this.#isHeld) return;
    this.#state = 'waiting';
    this.#cancelTimers();
  }

  /**
   * Begins a new session with a peer that has restarted; else it does nothing.
   *
   * @returns what the earlier life of the peer has not acknowledged, in order. It is not sent again.
   */
  reset(): Uint8Array[] {
    if (this.#state !== 'restarted') return [];
    this.#gone.add(this.#other);
    this.#other = this.#restartedAs;
    this.#received = 0;
    const rest = this.#buffer.clear();
    this.#receipts.giveUp();
    this.#state = 'waiting';
    this.#isAnnounced = false;
    if (this.#isConnected) this.#ask();
    return rest;
  }

  /** Says what was received, and forgets the rest. */
  end(): void {
    if (this.#state === 'ended') return;
    this.#debt.settle();
    this.#state = 'ended';
    this.#cancelTimers();
    this.#receipts.giveUp();
  }

  /** A frame that the peer has sent. @returns false when it is malformed */
  receive(bytes: Uint8Array): boolean {
    const kind = packet.kindOf(bytes);
    if (kind === undefined) return false;
    if (this.#state === 'ended' || kind === packet.PING) return true;
    if (kind === packet.SYNC) return this.#receiveSync(packet.readSync(bytes));
    const isOfThisSession = packet.fromOf(bytes) === this.#other && packet.toOf(bytes) === this.#self;
    if (!isOfThisSession || this.#state === 'restarted') return true;
    if (!this.#acknowledge(packet.receivedOf(bytes))) return false;
    if (kind === packet.DATA) this.#receiveData(packet.seqOf(bytes), bytes);
    return true;
  }

  #receiveData(seq: number, bytes: Uint8Array): void {
    if (seq > this.#received + 1) {
      if (this.#state === 'open') this.#ask();
    } else if (seq === this.#received + 1) {
      this.#received = seq;
      this.#debt.add(bytes.length);
      // Last: it may send, reset or end.
      this.options.deliver(packet.payloadOf(bytes));
    }
  }

  #receiveSync(sync: packet.Sync): boolean {
    if (this.#gone.has(sync.from)) return true;
    if (this.#other === 0) this.#other = sync.from;
    if (sync.from !== this.#other) {
      this.#peerRestarted(sync.from);
      return true;
    }
    if (this.#state === 'restarted') return true;
    if (sync.to !== this.#self && sync.to !== 0) {
      // It takes this side for an earlier life, and learns better by any word.
      this.#sendSync(0);
      return true;
    }
    if (sync.oldest > this.#received + 1) {
      this.#fail(new EdgeLossError(this.options.peer, this.#received + 1, sync.oldest));
      return true;
    }
    if (!this.#acknowledge(sync.received)) return false;
    const isAnswer = this.#state === 'asking' && sync.answer === this.#question;
    if (isAnswer) this.#goOn();
    if (sync.ask !== 0) this.#answer(sync);
    if (isAnswer) this.#announce();
    return true;
  }

  /** The peer has said what it has: the rest is sent, again or for the first time. */
  #goOn(): void {
    this.#state = 'open';
    this.#retryTimer?.cancel();
    this.#retryTimer = undefined;
    this.#buffer.rewind();
    this.#pump();
  }

  #announce(): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.options.opened();
  }

  #answer({ ask, answer }: packet.Sync): void {
    // Who asks of its own accord may have missed something. Who asks along with an answer was asked.
    if (this.#state === 'open' && answer === 0) this.#ask(ask);
    else this.#sendSync(ask);
  }

  #ask(answer = 0): void {
    // A question that is repeated keeps its number, so that an answer that takes long still counts.
    if (this.#state !== 'asking') this.#question = this.#question === MAX_U32 ? 1 : this.#question + 1;
    this.#state = 'asking';
    this.#sendSync(answer);
    this.#retryTimer?.cancel();
    this.#retryTimer = this.options.clock.setTimer(RETRY_MS, () => this.#ask());
  }

  #sendSync(answer: number): void {
    packet.writeSync(this.#syncHead, {
      from: this.#self,
      to: this.#other,
      received: this.#received,
      oldest: this.#buffer.oldest,
      ask: this.#state === 'asking' ? this.#question : 0,
      answer,
    });
    if (this.options.transmit(this.#syncHead)) this.#debt.paid();
  }

  #pump(): void {
    const buffer = this.#buffer;
    while (buffer.bytesUnderWay < WINDOW_BYTES) {
      const payload = buffer.peek();
      if (payload === undefined) break;
      packet.writeData(this.#dataHead, this.#self, this.#other, this.#received, buffer.next);
      if (!this.options.transmit(this.#dataHead, payload)) break;
      buffer.advance();
      this.#debt.paid();
    }
    if (this.#retryTimer === undefined && buffer.size > 0) this.#watchProgress();
  }

  /** A connection breaks when it loses something; a broker may lose a frame and say nothing. */
  #watchProgress(): void {
    const { oldest } = this.#buffer;
    this.#retryTimer = this.options.clock.setTimer(RETRY_MS, () => {
      this.#retryTimer = undefined;
      if (this.#buffer.size === 0) return;
      if (this.#buffer.oldest === oldest) this.#ask();
      else this.#watchProgress();
    });
  }

  #sendAck(): void {
    packet.writeAck(this.#ackHead, this.#self, this.#other, this.#received);
    if (this.options.transmit(this.#ackHead)) this.#debt.paid();
  }

  /** @returns false when the peer cannot have received that */
  #acknowledge(seq: number): boolean {
    const buffer = this.#buffer;
    if (seq < buffer.oldest) return true;
    if (seq > buffer.newest) return false;
    buffer.acknowledge(seq);
    this.#receipts.acknowledged(seq);
    if (this.#state === 'open') this.#pump();
    return true;
  }

  #peerRestarted(incarnation: number): void {
    if (this.#state === 'restarted' && this.#restartedAs === incarnation) return;
    this.#restartedAs = incarnation;
    this.#state = 'restarted';
    this.#cancelTimers();
    this.options.restarted(incarnation);
  }

  #fail(error: DataflowError): void {
    this.end();
    this.options.failed(error);
  }

  get #isHeld(): boolean {
    return this.#state === 'restarted' || this.#state === 'ended';
  }

  #cancelTimers(): void {
    this.#debt.cancel();
    this.#retryTimer?.cancel();
    this.#retryTimer = undefined;
  }
}
