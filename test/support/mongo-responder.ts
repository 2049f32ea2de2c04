import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { deserialize, type Document, serialize } from 'bson';
import { until } from './until.js';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;

/**
 * Speaks enough of MongoDB's wire protocol for one client library: it keeps inserted documents in memory, counts them, and
 * answers every other command with `ok: 1`. It is not a MongoDB server, which neither Debian nor npm has. It shows what a
 * program sends, in which order, and when it closes its connections.
 */
export class MongoResponder {
  /** Documents by collection. */
  readonly documents = new Map<string, Document[]>();
  /** Names of the commands so far, without the handshake. */
  readonly commands: string[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #held: (() => void)[] | undefined;

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<MongoResponder> {
    const responder = new MongoResponder();
    await new Promise<void>((resolve) => responder.#server.listen(0, '127.0.0.1', resolve));
    return responder;
  }

  get url(): string {
    return `mongodb://127.0.0.1:${(this.#server.address() as AddressInfo).port}/test`;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  /** From now on inserts get no answer until the returned function is called. */
  holdInserts(): () => void {
    const held: (() => void)[] = (this.#held = []);
    return () => {
      this.#held = undefined;
      for (const answer of held) answer();
    };
  }

  /** Waits for a command with this name. */
  async received(command: string): Promise<void> {
    await until(`the command ${command}`, () => this.commands.includes(command));
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    let bytes = Buffer.alloc(0);
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= HEADER_BYTES && bytes.length >= bytes.readInt32LE(0)) {
        const length = bytes.readInt32LE(0);
        this.#answer(socket, bytes.subarray(0, length));
        bytes = bytes.subarray(length);
      }
    });
  }

  #answer(socket: Socket, message: Buffer): void {
    const id = message.readInt32LE(4);
    if (message.readInt32LE(12) === OP_QUERY) {
      socket.write(replyTo(id, this.#run(queryIn(message))));
      return;
    }
    const command = commandIn(message);
    const send = (): void => void socket.write(messageTo(id, this.#run(command)));
    if (!isHandshake(command)) this.commands.push(Object.keys(command)[0]!);
    if ('insert' in command && this.#held) this.#held.push(send);
    else send();
  }

  #run(command: Document): Document {
    if (isHandshake(command)) return HELLO;
    if ('insert' in command) {
      const collection = this.#collection(command['insert'] as string);
      collection.push(...(command['documents'] as Document[]));
      return { ok: 1, n: (command['documents'] as Document[]).length };
    }
    if ('aggregate' in command) {
      const n = this.#collection(command['aggregate'] as string).length;
      return { ok: 1, cursor: { id: 0n, ns: 'test.x', firstBatch: n > 0 ? [{ _id: 1, n }] : [] } };
    }
    return { ok: 1 };
  }

  #collection(name: string): Document[] {
    if (!this.documents.has(name)) this.documents.set(name, []);
    return this.documents.get(name)!;
  }
}

const HELLO = {
  ok: 1,
  ismaster: true,
  isWritablePrimary: true,
  helloOk: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 25,
};

const isHandshake = (command: Document): boolean => /^(hello|ismaster)$/i.test(Object.keys(command)[0]!);

/** The query of an OP_QUERY, which drivers still use for their first message. */
const queryIn = (message: Buffer): Document => {
  const nameEnd = message.indexOf(0, HEADER_BYTES + 4);
  return deserialize(message.subarray(nameEnd + 1 + 8));
};

/** The command of an OP_MSG. A document sequence becomes an array in the field that it names. */
const commandIn = (message: Buffer): Document => {
  let command: Document = {};
  const sequences: Document = {};
  for (let at = HEADER_BYTES + 4; at < message.length;) {
    const kind = message[at]!;
    const size = message.readInt32LE(at + 1);
    const section = message.subarray(at + 1, at + 1 + size);
    if (kind === 0) command = deserialize(section);
    else {
      const nameEnd = section.indexOf(0, 4);
      const documents: Document[] = [];
      for (let from = nameEnd + 1; from < size; from += section.readInt32LE(from)) {
        documents.push(deserialize(section.subarray(from, from + section.readInt32LE(from))));
      }
      sequences[section.toString('utf8', 4, nameEnd)] = documents;
    }
    at += 1 + size;
  }
  return { ...command, ...sequences };
};

const withHeader = (id: number, opCode: number, body: Buffer): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + body.length, 0);
  header.writeInt32LE(id, 8);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, body]);
};

const messageTo = (id: number, document: Document): Buffer =>
  withHeader(id, OP_MSG, Buffer.concat([Buffer.alloc(5), serialize(document)]));

const replyTo = (id: number, document: Document): Buffer => {
  const fields = Buffer.alloc(20);
  fields.writeInt32LE(1, 16);
  return withHeader(id, OP_REPLY, Buffer.concat([fields, serialize(document)]));
};
