import ts from 'typescript';

/** A piece of prose in a file. Code and markup inside it are blanked, so that positions stay the same. */
interface Passage {
  start: number;
  text: string;
}

interface Rule {
  pattern: RegExp;
  advice: string;
}

/** The start of a text, of a paragraph or list item, or of the next sentence. */
const START = String.raw`(?<=(?:^|\n\s*\n)\s*(?:[-*]\s+|\d+\.\s+)?|\n\s*[-*]\s+|\.\s+)`;

/** Matches a phrase even if a line break is in it. */
const phrase = (source: string, flags = 'i'): RegExp =>
  new RegExp(source.replaceAll(' ', String.raw`\s+`), `g${flags}`);

const RULES: readonly Rule[] = [
  {
    pattern: phrase(String.raw`\b(?:and|but|by|for|kills?|lets?|of|so|than|to|with) who\b`),
    advice: 'name the caller, peer or process',
  },
  { pattern: phrase(String.raw`(?:${START}|[:;] )Those\b`, ''), advice: 'repeat the noun' },
  { pattern: phrase(String.raw`${START}What [a-z]+ (?![^.]*\?)`, ''), advice: 'begin with the noun' },
  {
    pattern: phrase(String.raw`${START}Of (?:an?|all|each|it|one|several|so|the|this|those|what|which)\b`, ''),
    advice: 'begin with the subject',
  },
  {
    pattern: phrase(String.raw`\bso many\b|\b(?:after|for|of|with|within) so (?:far|long|much)\b`),
    advice: 'give the number, or write "up to" or "this many"',
  },
  { pattern: phrase(String.raw`\b(?:every|no|some)body\b|\bwhoever\b`), advice: 'name the program part' },
  { pattern: phrase(String.raw`\bt(?:ells?|old) of\b`), advice: 'write "reports"' },
  {
    pattern: phrase(String.raw`\bby (?:itself|themselves|its own will)\b`),
    advice: 'say what causes it, or write "on its own" or "automatically"',
  },
  { pattern: phrase(String.raw`\balso (?:if|when|while)\b`), advice: 'write "even if"' },
  { pattern: phrase(String.raw`\bas good as\b`), advice: 'write "almost" or "effectively"' },
  { pattern: phrase(String.raw`\bfor ever\b`), advice: 'write "forever" or "never ends"' },
  { pattern: phrase(String.raw`\bin hand\b`), advice: 'write "in flight"' },
  { pattern: phrase(String.raw`\bin the moment in which\b`), advice: 'write "as soon as" or "when"' },
  { pattern: phrase(String.raw`\bmend(?:ed|ing|s)?\b`), advice: 'write "fix" or "repair"' },
  { pattern: phrase(String.raw`\bthe word of the\b`), advice: 'name the message or signal' },
];

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
const mask = (text: string): string => text.replace(/[^\n]/g, 'x');

/** Blanks fenced code, except for its comments, and masks inline code and the targets of links. */
const withoutCode = (text: string): string =>
  text
    .replace(/^([ \t*]*)(```+|~~~+)[^]*?^\1\2[ \t]*$/gm, (block) =>
      block.replace(/^(?:.*?(?:^|\s)\/\/\s|.*)/gm, (code) => blank(code)),
    )
    .replace(/`[^`\n]*`/g, mask)
    .replace(/\]\([^)\s]*\)/g, mask);

/** Returns the comments of a source. Line comments that follow each other are one passage. */
function commentsIn(source: ts.SourceFile): Passage[] {
  const { text } = source;
  const ends = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of ranges) ends.set(pos, end);
    for (const child of node.getChildren(source)) if (!ts.isJSDoc(child)) visit(child);
  };
  visit(source);
  const passages: Passage[] = [];
  for (const [start, end] of [...ends].sort(([a], [b]) => a - b)) {
    const last = passages.at(-1);
    const gap = last && text.slice(last.start + last.text.length, start);
    const part = text.slice(start, end);
    if (last && gap && part.startsWith('//') && last.text.startsWith('//') && /^\n[ \t]*$/.test(gap)) {
      last.text += gap + part;
    } else passages.push({ start, text: part });
  }
  const markers = /^\s*(?:\/\*\*?|\/\/|\*(?!\/))|\*\/$/gm;
  return passages.map((passage) => ({ ...passage, text: withoutCode(passage.text.replace(markers, blank)) }));
}

/** `it`, `it.each` and helpers such as `itOverAll`. */
const TEST = /^(?:it|test|describe)(?:[A-Z]\w*)?$/;

const rootOf = (node: ts.Node): string => {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isTaggedTemplateExpression(node)) return rootOf(node.tag);
  return ts.isCallExpression(node) || ts.isPropertyAccessExpression(node) ? rootOf(node.expression) : '';
};

const isTitle = (node: ts.Node): boolean => {
  const { parent } = node;
  return ts.isCallExpression(parent) && parent.arguments[0] === node && TEST.test(rootOf(parent.expression));
};

/** Returns the titles of the tests in a spec, and all texts of several words in any other source. */
function textsIn(source: ts.SourceFile): Passage[] {
  const isSpec = source.fileName.endsWith('.spec.ts');
  const passages: Passage[] = [];
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    if (isText && (isSpec ? isTitle(node) : /[a-z] [a-z]/i.test(node.getText(source)))) {
      const text = node
        .getText(source)
        .slice(1, -1)
        .replace(/\$\{[^{}]*\}/g, mask);
      passages.push({ start: node.getStart(source) + 1, text: withoutCode(text) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return passages;
}

/** Returns one line per phrase in the comments, test titles and messages of a source, or in the prose of a page. */
export function findPhrases(file: string, content: string): string[] {
  const source = file.endsWith('.ts') && ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true);
  const passages = source ? [...commentsIn(source), ...textsIn(source)] : [{ start: 0, text: withoutCode(content) }];
  return passages
    .flatMap(({ start, text }) =>
      RULES.flatMap(({ pattern, advice }) =>
        [...text.matchAll(pattern)].map((match) => ({ at: start + match.index, words: match[0], advice })),
      ),
    )
    .sort((a, b) => a.at - b.at)
    .map(({ at, words, advice }) => {
      const line = content.slice(0, at).split('\n').length;
      return `${file}:${line} "${words.replace(/\s+/g, ' ').trim()}": ${advice}`;
    });
}
