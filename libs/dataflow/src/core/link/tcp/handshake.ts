import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { HandshakeRefusedError, type RefusalReason } from '../errors/handshake-refused.error.js';
import { MalformedFrameError } from '../errors/malformed-frame.error.js';
import { isName } from '../hub-options.js';
import type { EndpointIdentity } from '../transport.js';

/**
 * Mutual authentication of two processes, in three frames. The token itself is never sent. Each side proves that it
 * knows the token, for this connection only.
 *
 *     accepts → dials    magic · version · nonce
 *     dials → accepts    magic · version · nonce · proof · app · from · to
 *     accepts → dials    magic · version · verdict · proof
 */
const MAGIC = Buffer.from('RSTD');
const VERSION = 1;
const NONCE_BYTES = 16;
const PROOF_BYTES = 32;
const PREFIX_BYTES = MAGIC.length + 1;
const VERDICTS: readonly (RefusalReason | 'welcome')[] = ['welcome', 'version', 'token', 'app', 'name'];

/** Maximum length of a handshake frame: ample for three names, and all that an unidentified client can send. */
export const MAX_HANDSHAKE_BYTES = 1_024;

/** The handshake on the side that accepts the connection. */
export class Acceptor {
  readonly #nonce = randomBytes(NONCE_BYTES);

  constructor(
    private readonly self: EndpointIdentity,
    /** Address of the client, for errors. Its name is not proven yet. */
    private readonly address: string,
  ) {}

  challenge(): Buffer {
    return Buffer.concat([MAGIC, Buffer.of(VERSION), this.#nonce]);
  }

  /**
   * Checks the hello of a client.
   *
   * @returns the reply, and either the name of the peer or the refusal
   * @throws MalformedFrameError
   */
  judge(hello: Buffer): { verdict: Buffer; peer?: string; refused?: HandshakeRefusedError } {
    const { self, address } = this;
    const refuse = (reason: RefusalReason): { verdict: Buffer; refused: HandshakeRefusedError } => ({
      verdict: verdictOf(reason, Buffer.alloc(PROOF_BYTES)),
      refused: new HandshakeRefusedError(address, reason),
    });
    if (versionOf(hello, address) !== VERSION) return refuse('version');
    const nonce = hello.subarray(PREFIX_BYTES, PREFIX_BYTES + NONCE_BYTES);
    const proof = hello.subarray(PREFIX_BYTES + NONCE_BYTES, PREFIX_BYTES + NONCE_BYTES + PROOF_BYTES);
    const names = readNames(hello, PREFIX_BYTES + NONCE_BYTES + PROOF_BYTES);
    if (!names?.every(isName)) throw new MalformedFrameError(address, 'the handshake has no valid names');
    // Checked first, so that a client without the token learns nothing else.
    if (!timingSafeEqual(proof, proofOf(self.token, 'dials', this.#nonce, nonce, names))) return refuse('token');
    const [app, from, to] = names;
    if (app !== self.app) return refuse('app');
    if (to !== self.name || from === self.name) return refuse('name');
    return { verdict: verdictOf('welcome', proofOf(self.token, 'accepts', this.#nonce, nonce, names)), peer: from };
  }
}

/** The handshake on the side that dials. */
export class Dialler {
  readonly #nonce = randomBytes(NONCE_BYTES);
  readonly #names: Names;
  #theirNonce: Buffer = Buffer.alloc(0);

  constructor(
    private readonly self: EndpointIdentity,
    private readonly peer: string,
  ) {
    this.#names = [self.app, self.name, peer];
  }

  /** @throws MalformedFrameError, HandshakeRefusedError */
  hello(challenge: Buffer): Buffer {
    if (versionOf(challenge, this.peer) !== VERSION) throw new HandshakeRefusedError(this.peer, 'version');
    if (challenge.length !== PREFIX_BYTES + NONCE_BYTES)
      throw new MalformedFrameError(this.peer, 'the challenge has the wrong length');
    this.#theirNonce = challenge.subarray(PREFIX_BYTES);
    const proof = proofOf(this.self.token, 'dials', this.#theirNonce, this.#nonce, this.#names);
    return Buffer.concat([MAGIC, Buffer.of(VERSION), this.#nonce, proof, ...this.#names.map(encodeName)]);
  }

  /**
   * Checks the verdict.
   *
   * @throws MalformedFrameError, HandshakeRefusedError unless this is the right peer and it accepts
   */
  check(verdict: Buffer): void {
    const { peer } = this;
    const word = VERDICTS[verdict[PREFIX_BYTES] ?? -1];
    if (versionOf(verdict, peer) !== VERSION || verdict.length !== PREFIX_BYTES + 1 + PROOF_BYTES || !word) {
      throw new MalformedFrameError(peer, 'the verdict of the handshake is invalid');
    }
    if (word !== 'welcome') throw new HandshakeRefusedError(peer, word);
    const expected = proofOf(this.self.token, 'accepts', this.#theirNonce, this.#nonce, this.#names);
    if (!timingSafeEqual(verdict.subarray(PREFIX_BYTES + 1), expected)) throw new HandshakeRefusedError(peer, 'token');
  }
}

/** Names of the dataflow, of the process that dials, and of the process that is dialled. */
type Names = readonly [app: string, from: string, to: string];

function versionOf(frame: Buffer, sender: string): number {
  if (frame.length > PREFIX_BYTES && frame.subarray(0, MAGIC.length).equals(MAGIC)) return frame[MAGIC.length]!;
  throw new MalformedFrameError(sender, 'it is not a handshake of this protocol');
}

const verdictOf = (word: RefusalReason | 'welcome', proof: Buffer): Buffer =>
  Buffer.concat([MAGIC, Buffer.of(VERSION, VERDICTS.indexOf(word)), proof]);

/** Both nonces make the proof useless for any other connection, and the role makes it useless for the other side. */
const proofOf = (
  token: string | undefined,
  role: 'dials' | 'accepts',
  acceptorNonce: Buffer,
  diallerNonce: Buffer,
  names: Names,
): Buffer =>
  createHmac('sha256', token ?? '')
    .update(role)
    .update(acceptorNonce)
    .update(diallerNonce)
    .update(Buffer.concat(names.map(encodeName)))
    .digest();

/** A name fits a length of one byte. */
function encodeName(name: string): Buffer {
  const bytes = Buffer.from(name);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

/** Returns the three names. Undefined if there are fewer, or further bytes. */
function readNames(frame: Buffer, start: number): Names | undefined {
  const names: string[] = [];
  let at = start;
  while (at < frame.length && names.length < 3) {
    const end = at + 1 + frame[at]!;
    if (end > frame.length) return undefined;
    names.push(frame.toString('utf8', at + 1, end));
    at = end;
  }
  return names.length === 3 && at === frame.length ? (names as unknown as Names) : undefined;
}
