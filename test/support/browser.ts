import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { installPackages } from './local-server.js';

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Debian's Chromium, without a window. */
export const startBrowser = async (): Promise<Browser> => {
  await installPackages({ chromium: 'chromium' });
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
};

/** Serves a folder on loopback below a path, as a host of static pages does: `/a` is `a.html`, `/b/` is `b/index.html`. */
export const serveFolder = async (
  folder: string,
  base: string,
): Promise<{ url: string; close: () => Promise<void> }> => {
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      const path = decodeURI(pathname).slice(base.length);
      const file = path === '' || path.endsWith('/') ? `${path}index.html` : extname(path) ? path : `${path}.html`;
      const body = await readFile(join(folder, file)).catch(() => undefined);
      response.writeHead(body ? 200 : 404, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
      response.end(body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
