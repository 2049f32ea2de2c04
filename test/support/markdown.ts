export interface CodeBlock {
  /** Line number of the first line of code, counted from 1. */
  line: number;
  language: string;
  /** Name from the fence: ```` ```ts name=app.module.ts ````. */
  name?: string;
  code: string;
}

export interface Link {
  line: number;
  target: string;
}

interface Page {
  blocks: CodeBlock[];
  /** Returns the lines of a page, with lines of code blocks emptied. */
  prose: string[];
}

const FENCE = /^\s*(`{3,}|~{3,})\s*([^\s`]*)([^`]*)$/;

const read = (markdown: string): Page => {
  const page: Page = { blocks: [], prose: [] };
  let open: { fence: string; block: CodeBlock } | undefined;
  markdown.split('\n').forEach((text, index) => {
    const [, fence, language = '', info = ''] = FENCE.exec(text) ?? [];
    page.prose.push(open || fence ? '' : text);
    if (open && fence?.startsWith(open.fence) && !language) {
      page.blocks.push(open.block);
      open = undefined;
    } else if (open) {
      open.block.code += `${text}\n`;
    } else if (fence) {
      const name = /(?:^|\s)name=(\S+)/.exec(info)?.[1];
      open = { fence, block: { line: index + 2, language, code: '', ...(name && { name }) } };
    }
  });
  if (open) throw new Error(`the code block from line ${open.block.line - 1} is not closed`);
  return page;
};

export const codeBlocks = (markdown: string): CodeBlock[] => read(markdown).blocks;

/** Returns the targets of inline links, images and link definitions outside of code. */
export const links = (markdown: string): Link[] =>
  read(markdown).prose.flatMap((text, index) => {
    const prose = text.replace(/`[^`]*`/g, '');
    const inline = [...prose.matchAll(/\]\(\s*<?([^\s)>]+)/g)];
    const defined = [...prose.matchAll(/^\s*\[[^\]]+\]:\s*<?([^\s>]+)/g)];
    return [...inline, ...defined].map(([, target = '']) => ({ line: index + 1, target }));
  });

/** Returns the anchors that a Git host generates from the headings of a page. */
export const anchors = (markdown: string): string[] => {
  const seen = new Map<string, number>();
  return read(markdown).prose.flatMap((text) => {
    const heading = /^#{1,6}\s+(.+?)\s*#*$/.exec(text)?.[1];
    if (!heading) return [];
    const slug = heading
      .replace(/\]\([^)]*\)/g, ']')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return [count ? `${slug}-${count}` : slug];
  });
};
