import { readText } from '../support/workspace.js';

const PAGE = readText('docs/how-processes-agree.md');
const MESSAGES = readText('libs/dataflow/src/core/distributed/wire/messages.ts');
const PROGRESS = readText('libs/dataflow/src/core/progress/progress-tracker.ts');

/** Returns the source of one declaration, up to the empty line after it. */
const declarationOf = (source: string, head: string): string => {
  const begin = source.indexOf(`export ${head}`);
  return begin < 0 ? '' : source.slice(begin, source.indexOf('\n\n', begin));
};

const fieldsIn = (declaration: string): string[] =>
  [...declaration.matchAll(/readonly (\w+)\??:/g)].map(([, field]) => field!);

/** Returns the messages of one union type: kind, direction and fields. */
const messagesOf = (union: string, direction: string): string[][] =>
  [...declarationOf(MESSAGES, `type ${union} =`).matchAll(/\{[^}]*readonly kind: '([\w-]+)'[^}]*\}/g)].map(
    ([type, kind]) => [kind!, direction, ...fieldsIn(type).filter((field) => field !== 'kind')],
  );

/** Returns the rows of the table whose header begins with this text. Cells keep only their code, or else their text. */
const tableOf = (heading: string): string[][] => {
  const [, , ...rows] = PAGE.slice(PAGE.search(new RegExp(`^\\| ${heading} `, 'm')))
    .split('\n\n')[0]!
    .split('\n');
  return rows.map((row) => row.split('|').slice(1, -1));
};
const codeIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
/** Returns the first column of the table after this text. */
const namesAfter = (text: string): string[] => {
  const [, ...rows] = PAGE.slice(PAGE.indexOf(text)).split('\n\n')[1]!.split('\n');
  return rows.flatMap((row) => codeIn(row.split('|')[1]!));
};

describe('The page about the dataflow protocol', () => {
  it('has every message with its direction and fields', () => {
    const rows = tableOf('message').map(([kind, direction, carries]) => [
      ...codeIn(kind!),
      direction!.trim(),
      ...codeIn(carries!),
    ]);
    const messages = [
      ...messagesOf('ToCoordinator', 'process → coordinator'),
      ...messagesOf('ToProcess', 'coordinator → process'),
      ...messagesOf('ToPeer', 'process → process'),
    ];
    expect(messages).toHaveLength([...MESSAGES.matchAll(/readonly kind:/g)].length);
    expect(rows).toEqual(messages);
  });

  it.each([
    ['report', 'A `report` is one message', 'Report', 'PartitionReport extends Report'],
    ['grant', 'A `grant` says', 'Grant', 'PartitionGrant extends Grant'],
    ['resume point', 'A resume point, in `start`,', '', 'ResumePoint'],
  ])('has every field of a %s', (_, text, base, own) => {
    const inherited = base ? fieldsIn(declarationOf(PROGRESS, `interface ${base} {`)) : [];
    const fields = [...inherited, ...fieldsIn(declarationOf(MESSAGES, `interface ${own} {`))];
    expect(fields.length).toBeGreaterThan(2);
    expect(namesAfter(text)).toEqual(fields);
  });
});
