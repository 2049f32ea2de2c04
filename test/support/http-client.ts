import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http';

/** The response to a request, with its body as text. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface RequestOptions {
  /** @default 'GET' */
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** @default a new connection, which closes after the response */
  agent?: Agent;
}

export async function readAnswer(response: IncomingMessage): Promise<Answer> {
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) body += chunk as string;
  return { status: response.statusCode!, headers: response.headers, body };
}

/** Sends a request to a server on 127.0.0.1. */
export const request = (port: number, path: string, options: RequestOptions = {}): Promise<Answer> => {
  const { method = 'GET', headers = {}, body, agent = false } = options;
  return new Promise((resolve, reject) => {
    const outgoing = send({ host: '127.0.0.1', port, path, method, headers, agent }, (response) => {
      void readAnswer(response).then(resolve, reject);
    });
    outgoing.on('error', reject).end(body);
  });
};

/** Returns status and body of the response to a GET. */
export const get = async (port: number, path = '/'): Promise<Pick<Answer, 'status' | 'body'>> => {
  const { status, body } = await request(port, path);
  return { status, body };
};

/** Posts a value as JSON. */
export const postJson = (port: number, path: string, value: unknown): Promise<Answer> =>
  request(port, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });
