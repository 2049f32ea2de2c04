import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import { type Answer, type Client, type Ending, type Endpoint, type Exchange, LostRequestError } from './client.js';

/** One HTTP/2 session. */
export class Http2Client implements Client {
  readonly closed: Promise<Ending>;
  /** The last stream id of each GOAWAY frame received. */
  readonly goaways: number[] = [];

  private constructor(readonly session: ClientHttp2Session) {
    let failed = false;
    session.on('error', () => (failed = true));
    session.on('goaway', (_code, lastStreamId) => this.goaways.push(lastStreamId));
    this.closed = new Promise((resolve) => session.on('close', () => resolve(failed ? 'reset' : 'end')));
  }

  static async open({ host, port }: Endpoint): Promise<Http2Client> {
    const session = connect(`https://${host.includes(':') ? `[${host}]` : host}:${port}`, {
      rejectUnauthorized: false,
    });
    try {
      await once(session, 'connect');
    } catch (error) {
      session.destroy();
      throw error;
    }
    return new Http2Client(session);
  }

  get isUsable(): boolean {
    return !this.session.closed && !this.session.destroyed;
  }

  begin(method: string, path: string, headers: Record<string, string> = {}): Exchange {
    const hasBody = method === 'POST';
    const stream = this.session.request({ ':method': method, ':path': path, ...headers }, { endStream: !hasBody });
    const answer = answerOn(stream, `${method} ${path}`);
    answer.catch(() => undefined);
    return {
      answer,
      write: (body) => void stream.write(body, 'latin1'),
      end: () => void stream.end(),
      pause: () => void stream.pause(),
      resume: () => void stream.resume(),
    };
  }

  get(path: string): Promise<Answer> {
    return this.begin('GET', path).answer;
  }

  destroy(): void {
    this.session.destroy();
  }
}

function answerOn(stream: ClientHttp2Stream, request: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let head: IncomingHttpHeaders & { ':status'?: number } = {};
    let failure = '';
    let complete = false;
    const parts: Buffer[] = [];
    stream.on('response', (headers) => (head = headers));
    stream.on('data', (chunk: Buffer) => parts.push(chunk));
    stream.on('end', () => (complete = true));
    stream.on('error', (error: NodeJS.ErrnoException) => (failure = `the stream failed with ${error.message}`));
    stream.on('close', () => {
      const status = head[':status'];
      if (!complete || failure || status === undefined) {
        const why = failure || `the stream was closed with code ${stream.rstCode}`;
        return reject(new LostRequestError(request, why, stream.rstCode === constants.NGHTTP2_REFUSED_STREAM));
      }
      const headers = Object.fromEntries(Object.entries(head).map(([name, value]) => [name, String(value)]));
      resolve({ status, headers, body: Buffer.concat(parts).toString('latin1') });
    });
  });
}
