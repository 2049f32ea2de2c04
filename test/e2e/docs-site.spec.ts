import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CommandResult, runCommand, runOrThrow } from '../support/run-command.js';
import { deadLinksOfSite } from '../support/site-links.js';
import { tempDir } from '../support/temp-dir.js';
import { entryPoints, filesBelow, packagesIn, readText, ROOT } from '../support/workspace.js';

const VITEPRESS = join(ROOT, 'node_modules/vitepress/bin/vitepress.js');
const TYPEDOC = join(ROOT, 'node_modules/typedoc/bin/typedoc');
/** As on the project pages of a Git host. */
const BASE = '/roost/';

let dir: Awaited<ReturnType<typeof tempDir>>;

beforeAll(async () => {
  dir = await tempDir();
  process.env['DOCS_BASE'] = BASE;
});

afterAll(async () => {
  delete process.env['DOCS_BASE'];
  await dir.remove();
});

describe('the documentation site', () => {
  let site: string;
  const html = (page: string): string => readFileSync(join(site, page), 'utf8');

  beforeAll(async () => {
    site = join(dir.path, 'site');
    const api = join(dir.path, 'api');
    await Promise.all([
      runOrThrow(process.execPath, [VITEPRESS, 'build', 'docs', '--outDir', site]),
      runOrThrow(process.execPath, [TYPEDOC, '--out', api]),
    ]);
    await rename(api, join(site, 'api'));
  }, 240_000);

  it('has only links, anchors and images that lead somewhere', () => {
    expect(deadLinksOfSite(site, BASE)).toEqual([]);
  });

  it('has every guide and every README as a page, in the sidebar, and in the index for Git hosts', () => {
    const guides = filesBelow('docs')
      .filter(
        (file) => /^docs\/(how-to\/)?[^/]+\.md$/.test(file) && file !== 'docs/README.md' && file !== 'docs/index.md',
      )
      .map((file) => file.replace(/^docs\/(.+)\.md$/, '$1.html'));
    const readmes = [...packagesIn('libs'), ...packagesIn('apps')].map(({ dir: path }) =>
      path.replace('libs/', 'packages/').replace('apps/', 'examples/').concat('.html'),
    );
    const pages = [...guides, ...readmes, 'contributing.html', 'changelog.html'];
    const [sidebar = ''] = /<nav[^>]*id="VPSidebarNav"[^]*?<\/nav>/.exec(html('quick-start.html')) ?? [];

    const index = readText('docs/README.md');

    expect(pages.filter((page) => !existsSync(join(site, page)))).toEqual([]);
    expect(pages.filter((page) => !sidebar.includes(`href="${BASE}${page}"`))).toEqual([]);
    expect(guides.filter((page) => !index.includes(`](${page.replace('.html', '.md')})`))).toEqual([]);
  });

  it('shows the names of code blocks', () => {
    expect(html('quick-start.html')).toMatch(/<label data-title="main\.ts">main\.ts<\/label>/);
  });

  it('shows links to sources as text, unless it knows where they are', () => {
    expect(html('architecture.html')).toContain('<span>ShutdownLifecycle</span>');
  });

  it('has an API page for every public entry point, by the name it is imported with', () => {
    const names = packagesIn('libs').flatMap(({ manifest }) => entryPoints(manifest));
    const index = html('api/index.html');

    expect(names.length).toBeGreaterThan(20);
    const missing = names.filter((name) => !index.includes(`>${name}</a>`));
    expect(missing).toEqual(names.filter((name) => name.endsWith('/internal')));
  });

  it('leads from the API back to the guides, and from the guides to the API', () => {
    expect(html('api/index.html')).toContain(`<a href="${BASE}">Documentation</a>`);
    expect(html('quick-start.html')).toMatch(/<a [^>]*href="\/roost\/api\/"[^>]*target="_self"/);
  });

  it('leaves internal things out of the API', () => {
    expect(existsSync(join(site, 'api/interfaces/_roost_actors.ActorRef.html'))).toBe(true);
    expect(html('api/classes/_roost_dataflow_testing.MemoryNetwork.html')).not.toContain('id="unlinked"');
  });
});

describe('a page of the site', () => {
  let count = 0;

  /** The site's own configuration with one page. */
  const build = async (page: string, env: Record<string, string> = {}): Promise<CommandResult & { html: string }> => {
    const root = join(dir.path, `fixture-${++count}`);
    const write = async (path: string, text: string): Promise<void> => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    };
    await cp(join(ROOT, 'docs/.vitepress/config.mjs'), join(root, 'docs/.vitepress/config.mjs'));
    await cp(join(ROOT, 'docs/.vitepress/markdown.mjs'), join(root, 'docs/.vitepress/markdown.mjs'));
    await write(
      'docs/.vitepress/pages.mjs',
      `export const ROOT = ${JSON.stringify(root)};
       export const rewrites = { 'docs/index.md': 'index.md', 'libs/a/README.md': 'packages/a.md' };
       export const GIT_HOST_PAGES = {};
       export const srcExclude = [];
       export const sidebar = [];`,
    );
    await write('docs/index.md', page);
    await write('libs/a/README.md', '# A\n\n## `run()` & friends\n');
    await write('libs/a/src/index.ts', '');
    await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    Object.assign(process.env, env);
    const result = await runCommand(process.execPath, [VITEPRESS, 'build', 'docs', '--outDir', 'out'], root);
    for (const name of Object.keys(env)) delete process.env[name];
    const built = join(root, 'out/index.html');
    return { ...result, html: existsSync(built) ? readFileSync(built, 'utf8') : '' };
  };

  it.each([
    ['a file that does not exist', '[a](../libs/b/README.md)', '../libs/b/README.md, which does not exist'],
    ['a page that does not exist', '[a](/nowhere)', 'dead link(s) found'],
  ])(
    'fails the build when it links to %s',
    async (_what, markdown, message) => {
      const { code, stderr, stdout } = await build(markdown);
      expect(code).toBe(1);
      expect(stdout + stderr).toContain(message);
    },
    60_000,
  );

  it('links as it does on a Git host: to READMEs, to their headings, and to sources', async () => {
    const page = '[a](../libs/a/README.md#run--friends) [b](../libs/a/src)';
    const { html } = await build(page, { DOCS_SOURCE: 'https://git.example/roost/blob/main' });

    expect(html).toContain(`<a href="${BASE}packages/a.html#run--friends">a</a>`);
    expect(html).toContain('<a href="https://git.example/roost/blob/main/libs/a/src"');
  }, 60_000);
});

describe('the check of a built site', () => {
  it('reports links, anchors and images that lead nowhere', async () => {
    const site = join(dir.path, 'small');
    await mkdir(join(site, 'b'), { recursive: true });
    await writeFile(
      join(site, 'index.html'),
      '<a href="b/c.html#x">1</a><a href="/s/b/c.html#y">2</a><a class="l" href="/b/c.html">3</a><a href="#z">4</a>' +
        '<img src="d.svg"><a href="https://example.org/e">5</a><a href="mailto:a@example.org">6</a><a href="b/">7</a>' +
        '<code>&lt;a href="in-code.html"&gt;</code>',
    );
    await writeFile(join(site, 'b/c.html'), '<h2 id="x">x</h2><a href="../">up</a>');

    expect(deadLinksOfSite(site, '/s/')).toEqual([
      'index.html: /s/b/c.html#y: no such anchor',
      'index.html: /b/c.html: not below /s/',
      'index.html: /s/index.html#z: no such anchor',
      'index.html: /s/d.svg: no such file',
      'index.html: /s/b/: no such file',
    ]);
  });
});
