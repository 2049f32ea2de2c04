import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

const titleOf = (file) => /^# (.+)$/m.exec(readFileSync(resolve(ROOT, file), 'utf8'))?.[1].replaceAll('`', '');

/** The READMEs of the packages below a folder, as pages below a path of the site. */
const readmes = (folder, path, text) =>
  readdirSync(resolve(ROOT, folder))
    .map((name) => ({ file: `${folder}/${name}/README.md`, page: `${path}/${name}.md`, text: text(name) }))
    .filter(({ file }) => existsSync(resolve(ROOT, file)));

/** @param text for the sidebar, where the title of the page is too long for it */
const guide = (name, text) => ({ file: `docs/${name}.md`, page: `${name}.md`, text });
const guides = (...names) => names.map((name) => guide(name));

/** The pages of a folder below docs/, by title. */
const guidesIn = (folder) =>
  existsSync(resolve(ROOT, 'docs', folder))
    ? readdirSync(resolve(ROOT, 'docs', folder)).map((name) => guide(`${folder}/${name.replace(/\.md$/, '')}`))
    : [];

/** All pages, by what the reader wants to do. The first group is open, the others unfold. */
const GROUPS = [
  {
    text: 'Get started',
    pages: [guide('quick-start', 'Quick start'), ...readmes('apps', 'examples', (name) => `Example: ${name}`)],
  },
  {
    text: 'Shut down gracefully',
    pages: [...guides('coordinated-shutdown', 'drain'), guide('health', 'Health probes'), guide('guarantees')],
  },
  {
    text: 'Use actors',
    pages: guides('actors', 'actors-in-nest', 'supervision', 'testing-actors'),
  },
  {
    text: 'Run background work',
    pages: [...guides('background-work', 'run-on-all-cores'), guide('recipes', 'Consume queues, run cron jobs')],
  },
  {
    text: 'Build dataflow graphs',
    pages: [
      ...guides('logical-time', 'dataflow-in-nest'),
      guide('placement', 'Placement'),
      ...guides('stopping-and-failure', 'determinism-and-replay', 'how-processes-agree'),
    ],
  },
  { text: 'How to', pages: guidesIn('how-to') },
  { text: 'Deploy and operate', pages: guides('production', 'troubleshooting') },
  { text: 'Test', pages: [guide('testing', 'Test an application')] },
  {
    text: 'Compare and migrate',
    pages: [guide('comparison', 'Comparison'), guide('coming-from', 'Migrate to Roost'), ...guidesIn('coming-from')],
  },
  { text: 'Reference', pages: [guide('error-codes'), ...readmes('libs', 'packages', (name) => `@roost/${name}`)] },
  {
    text: 'Contribute',
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

export const sidebar = GROUPS.map(({ text, pages }, index) => ({
  text,
  collapsed: index > 0,
  items: pages.map(linkTo),
}));
