import { randomInt } from 'node:crypto';
import type { Timer } from '@roost/time';
import type { DataflowError } from '../errors/dataflow.error.js';
import { AckDebt } from './ack-debt.js';
import type { ChannelOptions, ChannelState } from './channel-options.js';
import { EdgeLossError } from './errors/edge-loss.error.js';
import * as packet from './packet.js';
import { Receipts } from './receipts.js';
import { SendBuffer } from './send-buffer.js';

/** Maximum number of bytes in flight. The rest waits in the send buffer, without a copy in the buffers of a socket. */
const WINDOW_BYTES = 4 * 1024 * 1024;
/**
 * Time in ms after which a question without an answer, or a frame without an acknowledgement, leads to another
 * question.
 */
const RETRY_MS = 1_000;
const MAX_U32 = 2 ** 32 - 1;

/**
 * A stream of messages to one peer and a stream from it. Each message arrives once and in order, despite broken
 * connections and lost or repeated frames.
 *
 * A session is between two incarnations. Frames carry both, so frames of an earlier incarnation are recognized. A frame
 * is kept until the peer has acknowledged it. After each new connection, and when a frame seems lost, a side asks what
 * the other has received. It sends nothing until the answer, and continues from there. The question is sent after all
 * earlier frames, so a frame that the answer does not include is lost. Therefore no frame is sent twice without need.
 *
 * "Received" means that the other process has the message, not that it has handled it.
 */
export class Channel {
  readonly #self: number;
  readonly #buffer = new SendBuffer();
  readonly #receipts = new Receipts();
  readonly #debt: AckDebt;
  // Reused for every frame of its kind, because a transport copies it.
  readonly #ackHead = new Uint8Array(packet.ACK_BYTES);
  readonly #dataHead = new Uint8Array(packet.DATA_HEAD_BYTES);
  readonly #syncHead = new Uint8Array(packet.SYNC_BYTES);
  /** Earlier incarnations of the peer. Their frames may still be in flight. */
  readonly #gone = new Set<number>();
  #state: ChannelState = 'waiting';
  #isConnected = false;
  /** Whether the owner has been notified that the channel is open. */
  #isAnnounced = false;
  /** Incarnation of the peer. 0 until it is known. */
  #other = 0;
  #restartedAs = 0;
  /** Number of the newest frame received in order. */
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

  /** Number of frames that the peer has not acknowledged, sent or not. */
  get unackedFrames(): number {
    return this.#buffer.size;
  }

  get unackedBytes(): number {
    return this.#buffer.bytes;
  }

  /**
   * Sends a message, or keeps it until it can be sent. Never blocks and never fails. The caller must not change the
   * bytes afterwards.
   */
  send(payload: Uint8Array): void {
    if (this.#state === 'ended') return;
    this.#buffer.push(payload);
    if (this.#state === 'open') this.#pump();
  }

  /**
   * Resolves with true when the peer has received everything sent so far, and with false if the stream ends or restarts
   * first.
   */
  acked(): Promise<boolean> {
    if (this.#buffer.size === 0) return Promise.resolve(true);
    if (this.#state === 'ended') return Promise.resolve(false);
    return this.#receipts.of(this.#buffer.newest);
  }

  /** Handles a new connection. Frames in flight may have been lost. */
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
   * Begins a new session with a peer that has restarted. Otherwise does nothing.
   *
   * @returns the messages that the earlier incarnation of the peer has not acknowledged, in order. They are not sent
   * again.
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

  /** Acknowledges everything received, and drops all unsent and unacknowledged messages. */
  end(): void {
    if (this.#state === 'ended') return;
    this.#debt.settle();
    this.#state = 'ended';
    this.#cancelTimers();
    this.#receipts.giveUp();
  }

  /** Handles a frame from the peer. @returns false if it is malformed */
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
      // Last, because the callback may send, reset or end.
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
      // The peer takes this side for an earlier incarnation. Any sync frame corrects that.
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

  /** Continues after the peer has reported what it received: sends everything else, again or for the first time. */
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
    // A peer that asks on its own may have missed a frame. A peer that asks in an answer only replies to a question.
    if (this.#state === 'open' && answer === 0) this.#ask(ask);
    else this.#sendSync(ask);
  }

  #ask(answer = 0): void {
    // A repeated question keeps its number, so that a late answer still counts.
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

  /**
   * Asks again if no acknowledgement arrives. A connection breaks when it loses a frame, but a broker may lose one
   * silently.
   */
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

  /** @returns false if the peer cannot have received that frame */
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
