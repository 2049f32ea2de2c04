import { dirname, join } from 'node:path';
import ts from 'typescript';
import { codeBlocks } from './markdown.js';
import { ROOT } from './workspace.js';

interface Block {
  page: string;
  line: number;
}

/** The options of the repository, for code that is checked or emitted outside of its projects. */
const compilerOptions = (): ts.CompilerOptions => {
  const base = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.convertCompilerOptionsFromJson(
    (base.config as { compilerOptions: object }).compilerOptions,
    ROOT,
  );
  return {
    ...options,
    composite: false,
    declaration: false,
    declarationMap: false,
    stripInternal: false,
    noEmit: true,
    moduleDetection: ts.ModuleDetectionKind.Force,
    types: ['node', 'jest'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
};

/** Compiles a block as the libs are compiled, without checking its types. */
export const compileBlock = (code: string, file: string): string => {
  const options = { ...compilerOptions(), module: ts.ModuleKind.ESNext, noEmit: false, sourceMap: false };
  return ts.transpileModule(code, { compilerOptions: options, fileName: file }).outputText;
};

/**
 * Type-checks every TypeScript block of the pages (text by file name), each as a separate module, in folders that exist
 * only in memory, so that `@roost/*` is resolved from node_modules as for a user. Returns one line per error.
 */
export const checkBlocks = (pages: ReadonlyMap<string, string>): string[] => {
  const errors: string[] = [];
  const files = new Map<string, string>();
  const origins = new Map<string, Block>();
  for (const [page, text] of pages) {
    for (const { language, name, code, line } of codeBlocks(text)) {
      if (language !== 'ts' && language !== 'typescript') continue;
      const file = join(ROOT, '.docs-code', page, name ?? `line-${line}.ts`);
      if (files.has(file)) errors.push(`${page}:${line} a second block has the name ${name}`);
      files.set(file, code);
      origins.set(file, { page, line });
    }
  }

  const folders = new Set([...files.keys()].map((file) => dirname(file)));
  const options = compilerOptions();
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, directoryExists, getSourceFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.directoryExists = (path) => folders.has(path) || (directoryExists?.(path) ?? true);
  host.getSourceFile = (path, target, ...rest) => {
    const code = files.get(path);
    return code === undefined ? getSourceFile(path, target, ...rest) : ts.createSourceFile(path, code, target, true);
  };

  const program = ts.createProgram([...files.keys()], options, host);
  for (const { file, start, messageText } of ts.getPreEmitDiagnostics(program)) {
    const message = ts.flattenDiagnosticMessageText(messageText, '\n  ');
    const origin = file && origins.get(file.fileName);
    const offset = file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0;
    errors.push(origin ? `${origin.page}:${origin.line + offset} ${message}` : `${file?.fileName ?? ''} ${message}`);
  }
  return errors;
};
