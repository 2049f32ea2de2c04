import { defineConfig } from 'vitepress';
import { fileNames, repositoryLinks, slugify } from './markdown.mjs';
import { rewrites, sidebar, srcExclude } from './pages.mjs';

/** Where the repository can be read, such as https://git.example/roost/blob/main: links to sources lead there. */
const source = process.env.DOCS_SOURCE;

export default defineConfig({
  title: 'Roost',
  description: 'NestJS services that live and die well: coordinated shutdown, drain, actors, workers and dataflow',
  // Otherwise browsers ask for one that is not there.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  base: process.env.DOCS_BASE ?? '/',
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
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Concepts', link: '/coordinated-shutdown' },
      { text: 'Production', link: '/production' },
      // Made by TypeDoc: another page load, not a route of this site.
      { text: 'API', link: '/api/', target: '_self' },
    ],
    sidebar,
    ...(source && { editLink: { pattern: `${source}/:path`, text: 'Source of this page' } }),
  },
});
