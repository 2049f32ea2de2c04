import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

const titleOf = (file) => /^# (.+)$/m.exec(readFileSync(resolve(ROOT, file), 'utf8'))?.[1].replaceAll('`', '');

/** The READMEs of the packages below a folder, as pages below a path of the site. */
const readmes = (folder, path) =>
  readdirSync(resolve(ROOT, folder))
    .map((name) => ({ file: `${folder}/${name}/README.md`, page: `${path}/${name}.md` }))
    .filter(({ file }) => existsSync(resolve(ROOT, file)));

/** @param text for the sidebar, where the title of the page is too long for it */
const guide = (name, text) => ({ file: `docs/${name}.md`, page: `${name}.md`, text });
const guides = (...names) => names.map((name) => guide(name));

/** All pages, in the order in which a newcomer reads them. */
const GROUPS = [
  {
    text: 'Start',
    pages: [guide('quick-start'), ...readmes('apps', 'examples'), guide('coming-from', 'Coming from elsewhere')],
  },
  {
    text: 'Concepts',
    pages: guides('coordinated-shutdown', 'actors', 'supervision', 'logical-time', 'guarantees'),
  },
  {
    text: 'Parts',
    pages: [
      ...guides('drain', 'health'),
      ...guides('actors-in-nest', 'background-work', 'run-on-all-cores'),
      guide('recipes', 'Recipes'),
      guide('dataflow-in-nest'),
      guide('placement', 'Placement'),
      ...guides('how-processes-agree', 'stopping-and-failure', 'determinism-and-replay', 'testing', 'testing-actors'),
    ],
  },
  { text: 'Production', pages: [...guides('production', 'troubleshooting'), guide('comparison', 'Comparison')] },
  { text: 'Reference', pages: [guide('error-codes'), ...readmes('libs', 'packages')] },
  {
    text: 'Project',
    pages: [
      guide('architecture'),
      guide('seam-to-nest', 'Seam to Nest'),
      { file: 'CONTRIBUTING.md', page: 'contributing.md' },
      { file: 'CHANGELOG.md', page: 'changelog.md' },
    ],
  },
];

const HOME = { file: 'docs/index.md', page: 'index.md' };

/** The page of the site that each file of the repository becomes. */
export const rewrites = Object.fromEntries(
  [HOME, ...GROUPS.flatMap(({ pages }) => pages)].map(({ file, page }) => [file, page]),
);

/** Pages for readers on a Git host, which has no home page and no sidebar. */
export const GIT_HOST_PAGES = { 'README.md': '/index.md', 'docs/README.md': '/index.md' };

/** Everything else that ends in .md. */
export const srcExclude = [...Object.keys(GIT_HOST_PAGES), '{bench,coverage,test}/**'];

for (const name of readdirSync(resolve(ROOT, 'docs')).filter((name) => name.endsWith('.md'))) {
  const file = `docs/${name}`;
  if (!rewrites[file] && !GIT_HOST_PAGES[file]) throw new Error(`${file} is in no group of docs/.vitepress/pages.mjs`);
}

const linkTo = ({ file, page, text = titleOf(file) }) => ({ text, link: `/${page.replace(/\.md$/, '')}` });

export const sidebar = GROUPS.map(({ text, pages }) => ({ text, items: pages.map(linkTo) }));
