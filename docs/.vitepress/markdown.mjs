import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { GIT_HOST_PAGES, rewrites, ROOT } from './pages.mjs';

const EXTERNAL = /^(?:[a-z][a-z+.-]*:|\/|#)/i;

/** As a Git host does it, so that `#anchors` work there and here. */
export const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');

/**
 * Pages link to each other and to sources by their paths in the repository. Here a page has another address, and a
 * source has none unless it is known where the repository is.
 */
export const repositoryLinks = (md, sourceUrl) =>
  md.core.ruler.push('repository_links', ({ tokens, env }) => {
    const path = env.realPath ?? env.path;
    if (!path) return; // a title from the frontmatter, which has no links
    const file = relative(ROOT, path);
    for (const { children } of tokens) {
      let plain = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') plain = !resolveLink(token, file, sourceUrl);
        if (plain && token.type.startsWith('link_')) token.tag = 'span';
      }
    }
  });

/** False when there is nowhere to go: `token` has no address then. */
const resolveLink = (token, file, sourceUrl) => {
  const href = token.attrGet('href');
  if (EXTERNAL.test(href)) return true;
  const [path, hash] = href.split('#');
  const target = join(dirname(file), decodeURI(path)).replace(/\/$/, '');
  const page = rewrites[target] ? `/${rewrites[target]}` : GIT_HOST_PAGES[target];
  if (!page && !existsSync(resolve(ROOT, target))) throw new Error(`${file} links to ${href}, which does not exist`);
  if (!page && !sourceUrl) {
    token.attrs = token.attrs.filter(([name]) => name !== 'href');
    return false;
  }
  token.attrSet('href', (page ?? `${sourceUrl}/${target}`) + (hash ? `#${hash}` : ''));
  return true;
};

/** ```` ```ts name=app.module.ts ```` gets the name above it, in the look of VitePress's code groups. */
export const fileNames = (md) => {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    const name = /\sname=(\S+)/.exec(token.info)?.[1];
    if (!name) return fence(tokens, index, ...rest);
    token.info = token.info.replace(/\sname=\S+/, ' active');
    const label = md.utils.escapeHtml(name);
    const tab = `<input type="radio" checked><label data-title="${label}">${label}</label>`;
    const block = fence(tokens, index, ...rest);
    return `<div class="vp-code-group vp-adaptive-theme"><div class="tabs">${tab}</div><div class="blocks">${block}</div></div>`;
  };
};
