import type { Answer } from './client.js';

interface Waiter {
  /** The request, for error messages. */
  readonly request: string;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

interface Head {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly bodyAt: number;
}

/** Parses HTTP/1 responses from the bytes of a connection, strictly: it neither guesses nor repairs. */
export class ResponseReader {
  #chunks: Buffer[] = [];
  #size = 0;
  /** With fewer bytes than this, a response cannot be complete. */
  #needed = 1;
  #ended: ((request: string) => Error) | undefined;
  readonly #waiting: Waiter[] = [];

  /** The next response in order. A request that starts with `HEAD ` has a response without a body. */
  next(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#read();
    });
  }

  feed(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    this.#read();
  }

  end(error: (request: string) => Error): void {
    this.#ended ??= error;
    this.#read();
  }

  /** Bytes that do not belong to any request. */
  get unread(): string {
    return this.#bytes().toString('latin1');
  }

  #read(): void {
    while (this.#waiting.length > 0) {
      const { request, resolve } = this.#waiting[0]!;
      const answer = this.#size >= this.#needed ? this.#take(request) : undefined;
      if (!answer) break;
      this.#waiting.shift();
      resolve(answer);
    }
    if (!this.#ended) return;
    for (const { request, reject } of this.#waiting.splice(0)) reject(this.#ended(request));
  }

  #take(request: string): Answer | undefined {
    const bytes = this.#bytes();
    const head = headIn(bytes);
    if (!head) return undefined;
    const { status, headers, bodyAt } = head;
    if (status < 200 || status === 204 || status === 304 || request.startsWith('HEAD ')) {
      this.#drop(bytes, bodyAt);
      return { status, headers, body: '' };
    }
    if (headers['transfer-encoding'] === 'chunked') {
      const body = chunkedIn(bytes, bodyAt);
      if (!body) return undefined;
      this.#drop(bytes, body.endsAt);
      return { status, headers, body: body.text };
    }
    if (headers['content-length'] === undefined) {
      // No subject under test does this, and the end of such a response could not be distinguished from a cut.
      throw new Error(`${request} was answered without a length: ${JSON.stringify(headers)}`);
    }
    const endsAt = bodyAt + Number(headers['content-length']);
    if (bytes.length < endsAt) {
      this.#needed = endsAt;
      return undefined;
    }
    this.#drop(bytes, endsAt);
    return { status, headers, body: bytes.toString('latin1', bodyAt, endsAt) };
  }

  #bytes(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]!;
  }

  #drop(bytes: Buffer, until: number): void {
    this.#chunks = [bytes.subarray(until)];
    this.#size = bytes.length - until;
    this.#needed = 1;
  }
}

function headIn(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(`${statusLine} `)?.[1];
  if (!status) throw new Error(`not a response: ${statusLine.slice(0, 100)}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { status: Number(status), headers, bodyAt: end + 4 };
}

function chunkedIn(bytes: Buffer, from: number): { text: string; endsAt: number } | undefined {
  const parts: string[] = [];
  for (let at = from; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { text: parts.join(''), endsAt: next };
    parts.push(bytes.toString('latin1', lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
