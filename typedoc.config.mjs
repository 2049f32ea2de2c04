import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Comment, CommentTag, Converter, OptionDefaults, ReflectionKind } from 'typedoc';

/** Purpose of the further entry points, which are alike in all packages. */
const SUBPATHS = {
  './core': 'The engine, without Nest',
  './early': 'Keeps a signal that arrives during startup',
  './internal': 'For other Roost packages only',
  './link': 'Reliable links between processes',
  './nats': 'The transport over NATS',
  './nest': 'Helpers for Nest testing modules',
  './terminus': 'Health indicators for Terminus',
  './testing': 'Helpers for tests',
};

/** Every entry point of every lib, by the name it is imported with, and its source file. */
const entryPoints = readdirSync('libs').flatMap((lib) => {
  const { name, description, exports } = JSON.parse(readFileSync(join('libs', lib, 'package.json'), 'utf8'));
  return Object.entries(exports)
    .filter(([, target]) => target.types)
    .map(([path, { types }]) => ({
      name: join(name, path),
      description: SUBPATHS[path] ?? description,
      source: resolve('libs', lib, types.replace('/dist/', '/src/').replace(/\.d\.ts$/, '.ts')),
    }));
});

const isPublic = ({ name }) => !name.endsWith('/internal');

const base = process.env.DOCS_BASE ?? '/';
const source = process.env.DOCS_SOURCE;

/** TypeDoc names a module after its file. Readers know it by what they import. */
const nameByImport = (app) =>
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return;
    const file = context.getSymbolFromReflection(reflection)?.declarations?.[0]?.getSourceFile().fileName;
    reflection.name = entryPoints.find((entry) => entry.source === file)?.name ?? reflection.name;
  });

/** The start page: every entry point with the description of its package. */
const listPackages = (app) =>
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const rows = entryPoints
      .filter(isPublic)
      .map(
        ({ name, description }) => `| [${name}](modules/${name.replaceAll(/[^a-z]/g, '_')}.html) | ${description} |`,
      );
    const text = ['| Import from | For |', '| --- | --- |', ...rows].join('\n');
    project.readme = [{ kind: 'text', text }];
  });

/** Errors are many. A group of their own keeps them out of the way of the other classes. */
const groupErrors = (app) =>
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const reflection of project.getReflectionsByKind(ReflectionKind.Class)) {
      if (!reflection.name.endsWith('Error')) continue;
      reflection.comment ??= new Comment();
      reflection.comment.blockTags.push(new CommentTag('@group', [{ kind: 'text', text: 'Errors' }]));
    }
  });

/** @type {import('typedoc').TypeDocOptions} */
export default {
  name: 'Roost API',
  plugin: [nameByImport, listPackages, groupErrors],
  entryPoints: entryPoints.filter(isPublic).map(({ source }) => source),
  tsconfig: 'docs/tsconfig.api.json',
  compilerOptions: {
    // Libs see each other's sources, so that a type of one lib is a link on the page of another.
    paths: Object.fromEntries(entryPoints.map(({ name, source }) => [name, [source]])),
  },
  displayBasePath: '.',
  out: 'docs/.vitepress/dist/api',
  readme: 'none',
  titleLink: base,
  // The same bar as on the other pages of the site.
  navigationLinks: {
    'Quick start': `${base}quick-start.html`,
    Guides: `${base}coordinated-shutdown.html`,
    Deploy: `${base}production.html`,
    API: `${base}api/`,
  },
  favicon: 'docs/.vitepress/public/logo.svg',
  customCss: 'docs/.vitepress/theme/api.css',
  groupOrder: ['*', 'Errors', 'References'],
  excludeInternal: true,
  excludePrivate: true,
  // What a class inherits from Error or an options type from NATS is documented there.
  excludeExternals: true,
  modifierTags: [...OptionDefaults.modifierTags, '@publicApi'],
  excludeTags: ['@publicApi'],
  treatWarningsAsErrors: true,
  ...(source
    ? { disableGit: true, sourceLinkTemplate: `${source}/{path}#L{line}`, gitRevision: 'main' }
    : { disableSources: true }),
};
