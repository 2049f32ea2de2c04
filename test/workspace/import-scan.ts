import ts from 'typescript';

export interface ImportSite {
  /** Importing file, relative to the repository. */
  file: string;
  line: number;
  specifier: string;
  /** `export * from`, without a name. */
  exportsAll: boolean;
}

const specifierOf = (node: ts.Node): ts.Node | undefined => {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  // `declare module 'x'` augments x, which needs its types.
  if (ts.isModuleDeclaration(node)) return node.name;
  if (ts.isCallExpression(node) && /^(import|require(\.resolve)?)$/.test(node.expression.getText())) {
    return node.arguments[0];
  }
  return undefined;
};

/**
 * Returns every module that a file imports: static and type imports, `export from`, `import()`, `require` and
 * `/// <reference types>`.
 */
export const importsOf = (file: string, text: string): ImportSite[] => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const sites: ImportSite[] = [];
  const add = (specifier: string, position: number, exportsAll = false): void => {
    sites.push({ file, line: source.getLineAndCharacterOfPosition(position).line + 1, specifier, exportsAll });
  };
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier && ts.isStringLiteralLike(specifier)) {
      add(specifier.text, node.getStart(), ts.isExportDeclaration(node) && !node.exportClause);
    }
    ts.forEachChild(node, visit);
  };
  source.typeReferenceDirectives.forEach(({ fileName, pos }) => add(fileName, pos));
  visit(source);
  return sites;
};
