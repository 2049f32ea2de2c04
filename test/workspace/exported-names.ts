import ts from 'typescript';

/** Returns the names in `const { a, b: c } = …` and `const [d] = …`, or of a plain declaration. */
const namesIn = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []));

const isExported = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

const namesOf = (node: ts.Statement): string[] => {
  // `export { a }` exports a local name; `export { a } from './a.js'` re-exports a declaration of another file.
  if (ts.isExportDeclaration(node)) {
    if (node.moduleSpecifier || !node.exportClause || !ts.isNamedExports(node.exportClause)) return [];
    return node.exportClause.elements.map(({ name }) => name.text);
  }
  if (!isExported(node)) return [];
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.flatMap(({ name }) => namesIn(name));
  const { name } = node as { name?: ts.Node };
  return name && ts.isIdentifier(name) ? [name.text] : [];
};

/** Returns the names that a file declares and exports. A type and a value with the same name count once. */
export const exportedNames = (file: string, text: string): Set<string> => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return new Set(source.statements.flatMap(namesOf));
};

/** Returns one line per name that several files declare and export. */
export const ambiguousNames = (files: ReadonlyMap<string, string>): string[] => {
  const places = new Map<string, string[]>();
  for (const [file, text] of files) {
    for (const name of exportedNames(file, text)) {
      const known = places.get(name);
      if (known) known.push(file);
      else places.set(name, [file]);
    }
  }
  return [...places]
    .filter(([, declared]) => declared.length > 1)
    .map(([name, declared]) => `${name}: ${declared.join(', ')}`);
};
