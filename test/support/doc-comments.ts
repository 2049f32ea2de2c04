import { filesBelow, packagesIn, readText } from './workspace.js';

/** The doc comments of a source file as Markdown: every line is where it is in the source, and code is left out. */
export const docCommentsOf = (source: string): string => {
  let isComment = false;
  return source
    .split('\n')
    .map((line) => {
      if (/^\s*\/\*\*(?!.*\*\/)/.test(line)) isComment = true;
      else if (/\*\/\s*$/.test(line)) isComment = false;
      else if (isComment) return line.replace(/^\s*\* ?/, '');
      return '';
    })
    .join('\n');
};

/** The doc comments of every published source file, by file name. */
export const readDocComments = (): Map<string, string> =>
  new Map(
    packagesIn('libs')
      .flatMap(({ dir }) => filesBelow(`${dir}/src`))
      .filter((file) => file.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(file))
      .map((file): [string, string] => [file, docCommentsOf(readText(file))]),
  );

/** Returns the doc comment of an exported name. A decorator may stand between the two. */
export const commentOf = (source: string, name: string): string | undefined => {
  const comment = String.raw`/\*\*((?:(?!\*/)[^])*)\*/\s*`;
  const decorator = String.raw`(?:@\w+\((?:(?!\bexport\b)[^])*?\)\s*)?`;
  const kind = '(?:abstract )?(?:class|function|async function|const|interface)';
  return new RegExp(String.raw`${comment}${decorator}export ${kind} ${name}\b`).exec(source)?.[1];
};
