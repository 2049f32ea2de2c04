import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, packagesIn, readText, ROOT } from './workspace.js';

/** The text of every page that shows a user how to use Roost, by file name. */
export const readPages = (): Map<string, string> =>
  new Map(
    [
      'README.md',
      ...[...packagesIn('libs'), ...packagesIn('apps')].map(({ dir }) => `${dir}/README.md`),
      ...filesBelow('docs').filter((file) => file.endsWith('.md')),
    ]
      .filter((file) => existsSync(join(ROOT, file)))
      .map((file): [string, string] => [file, readText(file)]),
  );
