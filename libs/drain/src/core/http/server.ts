import { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { Http2SecureServer, Http2Server, Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { Server as HttpsServer } from 'node:https';
import { Server as TcpServer } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** Any HTTP server from Node.js. @publicApi */
export type AnyHttpServer = HttpServer | HttpsServer | Http2Server | Http2SecureServer;

export type AnyRequest = IncomingMessage | Http2ServerRequest;
export type AnyResponse = ServerResponse | Http2ServerResponse;

export const isServer = (value: unknown): value is AnyHttpServer => value instanceof TcpServer;
export const isTls = (server: AnyHttpServer): boolean => server instanceof TlsServer;
export const speaksHttp2 = (server: AnyHttpServer): boolean =>
  !(server instanceof HttpServer || server instanceof HttpsServer);

/** HTTP/1 handles one request at a time per connection, HTTP/2 many. A server may speak both. */
export const isHttp1 = (response: AnyResponse): response is ServerResponse => response instanceof ServerResponse;
