import { mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { compileBlock } from './check-blocks.js';
import { codeBlocks } from './markdown.js';
import { ROOT } from './workspace.js';

/** Folder of all emitted examples: below the repository, so that packages resolve as they do for a user. */
const FOLDER = join(ROOT, '.tsout/docs-code');

/** Preload of every program that {@link DocsFolder} holds. */
export const PRELOAD = pathToFileURL(join(ROOT, '.tsout/test/support/docs-preload.js')).href;

/** Name of the global function that an emitted program calls after its last line. */
export const UP = 'docs-run.up';

/** A TypeScript block of a page. */
export interface Example {
  page: string;
  /** Name of the block, or `line-12.ts` if it has none. */
  file: string;
  code: string;
  /** A program does something when it is loaded, a test registers tests, a library only declares. */
  kind: 'program' | 'test' | 'library';
  /** Exported classes with `@Module()`. */
  modules: string[];
  /** Identifiers in the code, except the names of its own modules where they are declared. */
  uses: ReadonlySet<string>;
  /** Files of the same page that it imports, such as `app.module.ts`. */
  imports: string[];
  /** Files that it names in other places, such as those that it starts as processes. */
  names: string[];
}

export const examplesOf = (page: string, markdown: string): Example[] =>
  codeBlocks(markdown)
    .filter(({ language }) => language === 'ts' || language === 'typescript')
    .map(({ name, line, code }) => readExample(page, name ?? `line-${line}.ts`, code));

/**
 * The modules that no other code of the page boots or imports: an application of their own.
 * A page may use one name for modules in several blocks, so a use counts only in the block itself or by an import.
 */
export const rootModules = (examples: Example[]): { example: Example; module: string }[] =>
  examples
    .filter(({ kind }) => kind === 'library')
    .flatMap((example) => example.modules.map((module) => ({ example, module })))
    .filter(({ example, module }) => !examples.some((other) => usesModule(other, example, module)));

const usesModule = (user: Example, owner: Example, module: string): boolean =>
  user.kind !== 'test' && user.uses.has(module) && (user === owner || user.imports.includes(owner.file));

function readExample(page: string, file: string, code: string): Example {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.ES2023, true);
  const isTest = contains(
    source,
    (node) => ts.isCallExpression(node) && /^(it|test)\b/.test(node.expression.getText()),
  );
  const kind = isTest ? 'test' : source.statements.some(hasEffect) ? 'program' : 'library';
  const uses = new Set<string>();
  const names: string[] = [];
  contains(source, (node) => {
    if (ts.isIdentifier(node) && !(ts.isClassDeclaration(node.parent) && node.parent.name === node))
      uses.add(node.text);
    if (ts.isStringLiteral(node) && !ts.isImportDeclaration(node.parent) && /^\.\/.*\.js$/.test(node.text)) {
      names.push(node.text.slice('./'.length).replace(/\.js$/, '.ts'));
    }
    return false;
  });
  const imports = source.statements
    .filter(ts.isImportDeclaration)
    .map(({ moduleSpecifier }) => (moduleSpecifier as ts.StringLiteral).text)
    .filter((path) => path.startsWith('./'))
    .map((path) => path.slice('./'.length).replace(/\.js$/, '.ts'));
  return { page, file, code, kind, modules: source.statements.flatMap(exportedModule), uses, imports, names };
}

/** Whether a top-level statement does more than declare. */
const hasEffect = (statement: ts.Statement): boolean =>
  ts.isVariableStatement(statement)
    ? contains(statement, ts.isAwaitExpression, ts.isFunctionLike)
    : !ts.isImportDeclaration(statement) &&
      !ts.isExportDeclaration(statement) &&
      !ts.isFunctionDeclaration(statement) &&
      !ts.isClassDeclaration(statement) &&
      !ts.isInterfaceDeclaration(statement) &&
      !ts.isTypeAliasDeclaration(statement) &&
      !ts.isModuleDeclaration(statement);

const exportedModule = (statement: ts.Statement): string[] => {
  if (!ts.isClassDeclaration(statement) || !statement.name) return [];
  const isExported = ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  const isModule = ts.getDecorators(statement)?.some(({ expression }) => expression.getText().startsWith('Module('));
  return isExported && isModule ? [statement.name.text] : [];
};

function contains(
  node: ts.Node,
  matches: (node: ts.Node) => boolean,
  isOpaque: (node: ts.Node) => boolean = () => false,
): boolean {
  if (matches(node)) return true;
  if (isOpaque(node)) return false;
  return ts.forEachChild(node, (child) => contains(child, matches, isOpaque)) ?? false;
}

export const scriptOf = (file: string): string => file.replace(/\.ts$/, '.js');

/** A program that boots one module. @param added modules beside it, by name and origin */
export const mainOf = (
  file: string,
  module: string,
  added: readonly [name: string, from: string][] = [],
  port = 0,
): string => `
import '@roost/shutdown/early';
import { NestFactory } from '@nestjs/core';
import { enableCoordinatedShutdown } from '@roost/shutdown';
${added.map(([name, from]) => `import { ${name} as Added${name} } from '${from}';`).join('\n')}
import { ${module} } from './${scriptOf(file)}';

const added = [${added.map(([name, from]) => `Added${name}${from.startsWith('@') ? '.forRoot()' : ''}`).join(', ')}];
const app = await NestFactory.create({ module: class Host {}, imports: [...added, ${module}] });
enableCoordinatedShutdown(app);
await app.listen(${port});
${CALL_UP}`;

/** In the place of a program that a page names and does not show. */
const STAND_IN = `
import { NestFactory } from '@nestjs/core';
import { CoordinatedShutdownModule, enableCoordinatedShutdown } from '@roost/shutdown';
import { WorkersModule } from '@roost/workers';

const imports = [CoordinatedShutdownModule.forRoot({ gracePeriodMs: 600_000 }), WorkersModule.forRoot()];
const app = await NestFactory.create({ module: class StandIn {}, imports });
enableCoordinatedShutdown(app);
await app.listen(0);
`;

/** A temporary folder with examples as JavaScript. */
export class DocsFolder {
  private constructor(private readonly path: string) {}

  static async create(): Promise<DocsFolder> {
    await mkdir(FOLDER, { recursive: true });
    return new DocsFolder(await mkdtemp(join(FOLDER, 'run-')));
  }

  /** Writes all examples of a page, and stand-ins for programs that they name and the page does not show. */
  async emitPage(examples: Example[]): Promise<void> {
    for (const example of examples) await this.emit(example);
    for (const { page, kind, names } of examples) {
      const missing = kind === 'program' ? names.filter((name) => !examples.some(({ file }) => file === name)) : [];
      for (const file of missing) await this.write(page, scriptOf(file), STAND_IN);
    }
  }

  /** Writes an example as it would be compiled, with a call of {@link UP} after its last line. */
  async emit({ page, file, code, kind }: Example): Promise<string> {
    // The folder of the system is not for tests.
    const text = compileBlock(code, file).replaceAll("'/run/orders/", `'${this.path}/`);
    return this.write(page, scriptOf(file), text + (kind === 'program' ? CALL_UP : ''));
  }

  /** Writes JavaScript beside the examples of a page. Returns its path relative to the repository. */
  async write(page: string, file: string, code: string): Promise<string> {
    const path = join(this.path, page, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, code);
    return relative(ROOT, path);
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
    // Another suite may still use it.
    await rmdir(FOLDER).catch(() => undefined);
  }
}

export const CALL_UP = `\nawait globalThis[Symbol.for('${UP}')]?.(typeof app === 'undefined' ? undefined : app);\n`;
