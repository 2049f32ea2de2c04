import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const TARGETS = /<(?:a|img|link|script)\b[^>]*?\s(?:href|src)="([^"]*)"/g;
const ORIGIN = 'http://site.invalid';

const pagesBelow = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html'))
    .sort();

/** Returns the targets of the links and images of a page within the site. */
const targetsOf = (html: string, url: URL): URL[] =>
  [...html.matchAll(TARGETS)]
    .map(([, target = '']) => new URL(target.replaceAll('&amp;', '&'), url))
    .filter(({ origin }) => origin === ORIGIN);

/**
 * Returns one line per broken link, image, script or style of a built site. `base` is the path under which it is
 * served.
 */
export function deadLinksOfSite(dir: string, base = '/'): string[] {
  const pages = new Map(pagesBelow(dir).map((file) => [file, readFileSync(join(dir, file), 'utf8')]));
  const anchors = new Map<string, Set<string>>();
  const anchorsOf = (file: string): Set<string> => {
    const known = anchors.get(file) ?? new Set([...pages.get(file)!.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!));
    anchors.set(file, known);
    return known;
  };

  const fault = ({ pathname, hash }: URL): string | undefined => {
    const path = decodeURI(pathname);
    if (!path.startsWith(base)) return `not below ${base}`;
    const file = relative(base, path.endsWith('/') ? `${path}index.html` : path);
    if (!existsSync(join(dir, file))) return 'no such file';
    const anchor = decodeURIComponent(hash.slice(1));
    return anchor && pages.has(file) && !anchorsOf(file).has(anchor) ? 'no such anchor' : undefined;
  };

  return [...pages].flatMap(([file, html]) => {
    const targets = targetsOf(html, new URL(base + file, ORIGIN));
    const faults = new Set<string>();
    for (const target of targets) {
      const why = fault(target);
      if (why) faults.add(`${file}: ${target.pathname}${target.hash}: ${why}`);
    }
    return [...faults];
  });
}
