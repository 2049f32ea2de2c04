import { cpSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitepress';
import { fileNames, repositoryLinks, slugify } from './markdown.mjs';
import { rewrites, sidebar, srcExclude } from './pages.mjs';

/** The address of the repository's files, such as https://git.example/roost/blob/main. Links to sources lead there. */
const source = process.env.DOCS_SOURCE;

/** All words must be found, and a page whose title has them comes first. */
const SEARCH = { combineWith: 'AND', boost: { title: 20, titles: 4, text: 1 }, fuzzy: 0.1, prefix: true };

const FONTS = resolve(import.meta.dirname, '../../node_modules/vitepress/dist/client/theme-default/fonts');

const base = process.env.DOCS_BASE ?? '/';

export default defineConfig({
  title: 'Roost',
  description: 'Graceful shutdown, actors, background workers and deterministic dataflow for NestJS',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}logo.svg` }]],
  base,
  // Guides, READMEs and CONTRIBUTING are pages where they are: nothing is copied.
  srcDir: '..',
  cacheDir: '../node_modules/.cache/vitepress',
  srcExclude,
  rewrites,
  ignoreDeadLinks: false,
  markdown: {
    anchor: { slugify },
    config(md) {
      repositoryLinks(md, source);
      fileNames(md);
    },
  },
  /** The API pages use the same font, at an address without a hash. */
  buildEnd: ({ outDir }) => cpSync(FONTS, resolve(outDir, 'fonts'), { recursive: true }),
  vite: { publicDir: resolve(import.meta.dirname, 'public') },
  themeConfig: {
    logo: '/logo.svg',
    search: { provider: 'local', options: { miniSearch: { searchOptions: SEARCH } } },
    outline: [2, 3],
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Guides', link: '/coordinated-shutdown' },
      { text: 'Deploy', link: '/production' },
      // Built by TypeDoc: a page load, not a route of this site.
      { text: 'API', link: '/api/', target: '_self' },
      ...(source ? [{ text: 'Source', link: source }] : []),
    ],
    sidebar,
    ...(source && { editLink: { pattern: `${source}/:path`, text: 'Source of this page' } }),
  },
});
