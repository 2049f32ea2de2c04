import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { serveFolder, startBrowser } from '../support/browser.js';
import { type CommandResult, runCommand, runOrThrow } from '../support/run-command.js';
import { deadLinksOfSite } from '../support/site-links.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { entryPoints, filesBelow, packagesIn, readText, ROOT } from '../support/workspace.js';

const VITEPRESS = join(ROOT, 'node_modules/vitepress/bin/vitepress.js');
const TYPEDOC = join(ROOT, 'node_modules/typedoc/bin/typedoc');
/** For the browser: the longest line of each code block that does not fit its column. */
const CUT_LINES = `[...document.querySelectorAll('.vp-doc div[class*=language-] pre')]
  .filter((block) => block.scrollWidth > block.clientWidth + 1)
  .map((block) => block.textContent.split('\\n').sort((a, b) => b.length - a.length)[0])`;

/** Runs in the browser: finds content that a reader on a phone would have to scroll or zoom. */
const MEASURE = `({
  wider: document.documentElement.scrollWidth - window.innerWidth,
  pictures: [...document.querySelectorAll('.vp-doc img[src*=".svg"]')]
    .filter((img) => img.naturalWidth > 200)
    .map((img) => ({ src: img.src, scale: img.clientWidth / img.naturalWidth })),
})`;
interface Measured {
  wider: number;
  pictures: { src: string; scale: number }[];
}

/** Folder of the screenshots, for review by a person. Git ignores it. */
const SCREENSHOTS = join(ROOT, 'docs/.vitepress/screenshots');
/** Base path as on the project pages of a Git host. */
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

describe('The documentation site', () => {
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

  it('has no broken links, anchors or images', () => {
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

  it('shows links to sources as text, unless their location is known', () => {
    expect(html('architecture.html')).toContain('<span>ShutdownLifecycle</span>');
  });

  it('has an API page for every public entry point, named like its import', () => {
    const names = packagesIn('libs').flatMap(({ manifest }) => entryPoints(manifest));
    const index = html('api/index.html');

    expect(names.length).toBeGreaterThan(20);
    const missing = names.filter((name) => !index.includes(`>${name}</a>`));
    expect(missing).toEqual(names.filter((name) => name.endsWith('/internal')));
  });

  it('links from the API to the guides, and from the guides to the API', () => {
    expect(html('api/index.html')).toContain(`<a href="${BASE}coordinated-shutdown.html">Guides</a>`);
    expect(html('quick-start.html')).toMatch(/<a [^>]*href="\/roost\/api\/"[^>]*target="_self"/);
  });

  it('omits internal names from the API', () => {
    expect(existsSync(join(site, 'api/interfaces/_roost_actors.ActorRef.html'))).toBe(true);
    expect(html('api/classes/_roost_dataflow_testing.MemoryNetwork.html')).not.toContain('id="unlinked"');
  });

  describe('in a browser', () => {
    const DESKTOP = { width: 1440, height: 900 };
    const PHONE = { width: 390, height: 844 };
    let browser: Browser;
    let server: Awaited<ReturnType<typeof serveFolder>>;
    const pages = (): string[] =>
      readdirSync(site, { recursive: true, encoding: 'utf8' }).filter(
        (file) => file.endsWith('.html') && !file.startsWith('api/') && file !== '404.html',
      );

    const open = async (viewport: typeof DESKTOP, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> => {
      const page = await browser.newPage({ viewport, colorScheme });
      // Checks every page at its final size, not while it fades in.
      await page.emulateMedia({ reducedMotion: 'reduce', colorScheme });
      return page;
    };
    const visit = (page: Page, path: string): Promise<unknown> =>
      page.goto(`${server.url}${path}`, { waitUntil: 'load' });

    beforeAll(async () => {
      [browser, server] = await Promise.all([startBrowser(), serveFolder(site, BASE)]);
    }, 300_000);

    afterAll(async () => {
      await browser?.close();
      await server?.close();
    });

    it.each([
      ['desktop', DESKTOP, 'light'],
      ['phone', PHONE, 'light'],
      ['dark', DESKTOP, 'dark'],
    ] as const)(
      'saves screenshots for review (%s)',
      async (name, viewport, scheme) => {
        const page = await open(viewport, scheme);
        for (const path of ['', 'quick-start', 'drain', 'error-codes', 'api/']) {
          await visit(page, path);
          const image = await page.screenshot({
            path: join(SCREENSHOTS, `${path.replaceAll('/', '') || 'home'}-${name}.png`),
          });
          expect(image.length).toBeGreaterThan(10_000);
        }
        await page.close();
      },
      60_000,
    );

    it('shows the logo, an install line and code on the first screen of the home page', async () => {
      const page = await open(DESKTOP);
      await visit(page, '');
      const first = ['.VPNavBar img.logo', '.roost-hero h1', '.roost-hero .language-sh', '.roost-hero .language-ts'];
      for (const part of first) {
        const box = await page.locator(part).boundingBox();
        expect([part, box !== null && box.y + box.height <= DESKTOP.height]).toEqual([part, true]);
      }
      const logoWidth = await page.evaluate<number>(`document.querySelector('.VPNavBar img.logo').naturalWidth`);
      expect(logoWidth).toBeGreaterThan(0);
      await page.close();
    }, 60_000);

    it('cuts off no line of code on a desktop', async () => {
      const page = await open(DESKTOP);
      const cut: string[] = [];
      for (const path of pages()) {
        await visit(page, path);
        const lines = await page.evaluate<string[]>(CUT_LINES);
        cut.push(...lines.map((line) => `${path}: ${line.trim()}`));
      }
      await page.close();
      expect(cut).toEqual([]);
    }, 240_000);

    it('never scrolls sideways on a phone, and keeps the text of pictures legible', async () => {
      const page = await open(PHONE);
      const faults: string[] = [];
      for (const path of [...pages(), 'api/', 'api/modules/_roost_actors_core.html']) {
        await visit(page, path);
        const found = await page.evaluate<Measured>(MEASURE);
        if (found.wider > 0) faults.push(`${path} is ${found.wider} px too wide`);
        for (const { src, scale } of found.pictures) {
          const svg = await (await fetch(src)).text();
          const sizes = [...svg.matchAll(/font(?:-size)?:\s*(?:\w+ )?(\d+)px/g)].map(([, size]) => Number(size));
          const smallest = Math.min(...sizes) * scale;
          if (!(smallest >= 9.5)) faults.push(`${path}: ${src} has letters of ${smallest.toFixed(1)} px`);
        }
      }
      await page.close();
      expect(faults).toEqual([]);
    }, 240_000);

    it('opens the page of error codes at the address that an error names', async () => {
      const page = await open(DESKTOP);
      await visit(page, 'error-codes#drain_stuck');
      await page.waitForFunction('window.scrollY > 0');
      const { y } = (await page.locator('#drain_stuck').boundingBox())!;
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThan(DESKTOP.height / 2);
      await page.close();
    }, 60_000);

    it.each([
      ['graceful shutdown', /quick-start|coordinated-shutdown|enable-shutdown-hooks/],
      ['in-flight', /drain/],
      ['rolling update', /kubernetes|production|drain|troubleshooting/],
      ['background job', /background-work/],
      ['all cores', /run-on-all-cores/],
      ['kubernetes', /kubernetes/],
      ['typeorm', /typeorm/],
      ['graphql', /graphql/],
      ['pino', /pino/],
      ['prisma', /drizzle/],
      ['DRAIN_STUCK', /error-codes/],
    ])(
      'finds "%s" with its search',
      async (words, expected) => {
        const page = await open(DESKTOP);
        await visit(page, '');
        const input = page.locator('.VPLocalSearchBox input');
        // A key pressed before the page's script runs has no effect.
        await until('the search box', async () => {
          await page.keyboard.press('Control+k');
          return input.isVisible();
        });
        await input.fill(words);
        const first = page.locator('.VPLocalSearchBox .result').first();
        await first.waitFor();
        expect(await first.getAttribute('href')).toMatch(expected);
        await page.close();
      },
      60_000,
    );

    it('links back from the API, in the same design', async () => {
      const page = await open(DESKTOP);
      const fontOf = (): Promise<string> => page.evaluate(`getComputedStyle(document.body).fontFamily.split(',')[0]`);
      await visit(page, 'coordinated-shutdown');
      const font = await fontOf();
      await visit(page, 'api/classes/_roost_shutdown.CoordinatedShutdown.html');
      expect(await fontOf()).toBe(font);
      expect(await page.evaluate(`document.fonts.ready.then((fonts) => fonts.check('15px Inter'))`)).toBe(true);
      await page.getByRole('link', { name: 'Guides' }).first().click();
      await page.waitForURL(`${server.url}coordinated-shutdown.html`);
      await page.close();
    }, 60_000);
  });
});

describe('A page of the site built from one file', () => {
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

  it('resolves links like a Git host: to READMEs, to their headings, and to sources', async () => {
    const page = '[a](../libs/a/README.md#run--friends) [b](../libs/a/src)';
    const { html } = await build(page, { DOCS_SOURCE: 'https://git.example/roost/blob/main' });

    expect(html).toContain(`<a href="${BASE}packages/a.html#run--friends">a</a>`);
    expect(html).toContain('<a href="https://git.example/roost/blob/main/libs/a/src"');
  }, 60_000);
});

describe('The check of a built site', () => {
  it('reports broken links, anchors and images', async () => {
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
