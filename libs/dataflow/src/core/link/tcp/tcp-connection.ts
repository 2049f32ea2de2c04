import type { Socket } from 'node:net';
import type { Clock, Timer } from '@roost/time';
import { DataflowError } from '../../errors/dataflow.error.js';
import { HandshakeTimeoutError } from '../errors/handshake-timeout.error.js';
import type { EndpointIdentity } from '../transport.js';
import { FrameDecoder } from './frame-decoder.js';
import { FrameWriter } from './frame-writer.js';
import { Acceptor, Dialler, MAX_HANDSHAKE_BYTES } from './handshake.js';

/** From the first packet to the last word of the handshake. */
const HANDSHAKE_MS = 5_000;
/** What a peer that does not read gets to take the rest. */
const LAST_WORDS_MS = 2_000;

export interface ConnectionOptions {
  readonly self: EndpointIdentity;
  readonly clock: Clock;
  /** Whom it dials; left out by the side that accepts. */
  readonly dials?: string;
  /** Both sides have shown who they are. */
  established(peer: string): void;
  frame(bytes: Uint8Array): void;
  failed(error: DataflowError): void;
  /** Always the last word, and only one. */
  closed(why: string): void;
}

/** One socket, from the handshake to its end. Nothing is called back from inside a method. */
export class TcpConnection {
  readonly #writer: FrameWriter;
  readonly #decoder: FrameDecoder;
  readonly #handshake: (frame: Buffer) => void;
  readonly #closed: Promise<void>;
  /** The peer, or the address of a stranger, for errors. */
  #name: string;
  #timer: Timer | undefined;
  #isEstablished = false;
  #state: 'greeting' | 'open' | 'ending' = 'greeting';
  #why = 'the peer closed the connection';

  constructor(
    private readonly socket: Socket,
    private readonly options: ConnectionOptions,
  ) {
    const { clock, dials } = options;
    this.#name = dials ?? `${socket.remoteAddress}:${socket.remotePort}`;
    this.#writer = new FrameWriter(socket);
    this.#decoder = new FrameDecoder(
      MAX_HANDSHAKE_BYTES,
      (frame) => (this.#state === 'open' ? options.frame(frame) : this.#handshake(frame)),
      () => this.#name,
    );
    this.#handshake = dials === undefined ? this.#accept() : this.#dial(dials);
    this.#timer = clock.setTimer(HANDSHAKE_MS, () => this.#fail(new HandshakeTimeoutError(this.#name, HANDSHAKE_MS)));
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => (this.#why = error.message));
    this.#closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#state = 'ending';
        this.#timer?.cancel();
        options.closed(this.#why);
        resolve();
      });
    });
  }

  /** Whether it has got through the handshake, ending or not. */
  get isEstablished(): boolean {
    return this.#isEstablished;
  }

  get isDialled(): boolean {
    return this.options.dials !== undefined;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  send(head: Uint8Array, body?: Uint8Array): void {
    this.#writer.write(head, body);
  }

  /** Ends it after what was sent. Nothing is received any more. */
  end(why: string): Promise<void> {
    if (this.#state !== 'ending') {
      this.#leave(why);
      this.#writer.flush();
      this.socket.end();
      this.#timer = this.options.clock.setTimer(LAST_WORDS_MS, () => this.socket.destroy());
    }
    return this.#closed;
  }

  /** Ends it at once. */
  destroy(why: string): void {
    if (this.#state !== 'ending') this.#leave(why);
    this.socket.destroy();
  }

  #leave(why: string): void {
    this.#state = 'ending';
    this.#why = why;
    this.#decoder.stop();
    this.#timer?.cancel();
  }

  #accept(): (frame: Buffer) => void {
    const acceptor = new Acceptor(this.options.self, this.#name);
    this.#writer.write(acceptor.challenge());
    return (hello) => {
      const { verdict, peer, refused } = acceptor.judge(hello);
      this.#writer.write(verdict);
      if (peer !== undefined) return this.#establish(peer);
      void this.end('the handshake was refused');
      if (refused) this.options.failed(refused);
    };
  }

  #dial(peer: string): (frame: Buffer) => void {
    const dialler = new Dialler(this.options.self, peer);
    let hasGreeted = false;
    return (frame) => {
      if (hasGreeted) {
        dialler.check(frame);
        this.#establish(peer);
      } else {
        hasGreeted = true;
        this.#writer.write(dialler.hello(frame));
      }
    };
  }

  #establish(peer: string): void {
    this.#state = 'open';
    this.#isEstablished = true;
    this.#name = peer;
    this.#timer?.cancel();
    this.#decoder.limit = this.options.self.maxFrameBytes;
    this.options.established(peer);
  }

  #read(chunk: Buffer): void {
    try {
      this.#decoder.push(chunk);
    } catch (error) {
      if (!(error instanceof DataflowError)) throw error;
      this.#fail(error);
    }
  }

  #fail(error: DataflowError): void {
    this.destroy(error.message);
    this.options.failed(error);
  }
}
