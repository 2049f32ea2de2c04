import type { Socket } from 'node:net';
import type { Clock, Timer } from '@roost/time';
import { DataflowError } from '../../errors/dataflow.error.js';
import { HandshakeTimeoutError } from '../errors/handshake-timeout.error.js';
import type { EndpointIdentity } from '../transport.js';
import { FrameDecoder } from './frame-decoder.js';
import { FrameWriter } from './frame-writer.js';
import { Acceptor, Dialler, MAX_HANDSHAKE_BYTES } from './handshake.js';

/** Time limit of the handshake in ms. */
const HANDSHAKE_MS = 5_000;
/** Time in ms for a slow peer to read the remaining frames after `end()`. */
const LAST_WORDS_MS = 2_000;

export interface ConnectionOptions {
  readonly self: EndpointIdentity;
  readonly clock: Clock;
  /** Name of the peer to dial. Undefined on the side that accepts. */
  readonly dials?: string;
  /** Called when both sides have proven their identity. */
  established(peer: string): void;
  frame(bytes: Uint8Array): void;
  failed(error: DataflowError): void;
  /** Called once, after all other callbacks. */
  closed(why: string): void;
}

/** One socket, from the handshake until it is closed. Callbacks never run inside a method call. */
export class TcpConnection {
  readonly #writer: FrameWriter;
  readonly #decoder: FrameDecoder;
  readonly #handshake: (frame: Buffer) => void;
  readonly #closed: Promise<void>;
  /** Name of the peer, or the address of an unidentified client, for errors. */
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

  /** Whether the handshake has succeeded, even if the connection is now ending. */
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

  /** Closes the connection after all sent frames. Nothing more is received. */
  end(why: string): Promise<void> {
    if (this.#state !== 'ending') {
      this.#leave(why);
      this.#writer.flush();
      this.socket.end();
      this.#timer = this.options.clock.setTimer(LAST_WORDS_MS, () => this.socket.destroy());
    }
    return this.#closed;
  }

  /** Closes the connection immediately. */
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
