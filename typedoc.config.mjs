import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Comment, CommentTag, Converter, OptionDefaults, ReflectionKind } from 'typedoc';

/** Every entry point of every lib, by the name it is imported with, and its source file. */
const entryPoints = readdirSync('libs').flatMap((lib) => {
  const { name, exports } = JSON.parse(readFileSync(join('libs', lib, 'package.json'), 'utf8'));
  return Object.entries(exports)
    .filter(([, target]) => target.types)
    .map(([path, { types }]) => ({
      name: join(name, path),
      source: resolve('libs', lib, types.replace('/dist/', '/src/').replace(/\.d\.ts$/, '.ts')),
    }));
});

const base = process.env.DOCS_BASE ?? '/';
const source = process.env.DOCS_SOURCE;

/** TypeDoc names a module after its file. Readers know it by what they import. */
const nameByImport = (app) =>
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return;
    const file = context.getSymbolFromReflection(reflection)?.declarations?.[0]?.getSourceFile().fileName;
    reflection.name = entryPoints.find((entry) => entry.source === file)?.name ?? reflection.name;
  });

/** There are many, and who looks for something else should not have to look past them. */
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
  plugin: [nameByImport, groupErrors],
  entryPoints: entryPoints.filter(({ name }) => !name.endsWith('/internal')).map(({ source }) => source),
  tsconfig: 'docs/tsconfig.api.json',
  compilerOptions: {
    // Libs see each other's sources, so that a type of one lib is a link on the page of another.
    paths: Object.fromEntries(entryPoints.map(({ name, source }) => [name, [source]])),
  },
  displayBasePath: '.',
  out: 'docs/.vitepress/dist/api',
  readme: 'none',
  titleLink: base,
  navigationLinks: { Documentation: base },
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
