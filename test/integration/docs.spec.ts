import { inspect } from 'node:util';
import { DEFAULT_ACTOR_SYSTEM_MODULE_OPTIONS, DEFAULT_ACTOR_SYSTEM_OPTIONS } from '@roost/actors/internal';
import {
  DEFAULT_DATAFLOW_MODULE_OPTIONS,
  DEFAULT_DATAFLOW_OPTIONS,
  DEFAULT_PROCESS_OPTIONS,
  plainSerializer,
} from '@roost/dataflow';
import { DEFAULT_DRAIN_OPTIONS } from '@roost/drain';
import { DEFAULT_HEALTH_OPTIONS, DEFAULT_HEALTH_ROUTE_OPTIONS } from '@roost/health';
import { DEFAULT_SHUTDOWN_OPTIONS } from '@roost/shutdown';
import { consoleLogger } from '@roost/kernel';
import { InvalidTimeOptionError, systemClock } from '@roost/time';
import { DEFAULT_WORKERS_OPTIONS, restartBackoff, type RestartPolicy } from '@roost/workers';
import { DEFAULT_FLEET_OPTIONS } from '@roost/workers/core';
import { anchors } from '../support/markdown.js';
import { filesBelow, packagesIn, readText } from '../support/workspace.js';

/** Returns the cells of all table rows that begin with code. */
const codeRows = (markdown: string): string[][] =>
  [...markdown.matchAll(/^\|\s*`[^`]+`\s*\|.*$/gm)].map(([row]) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );

/** Returns the part of a page from a heading to the next one of its level. */
const section = (markdown: string, heading: string, level = '##'): string =>
  markdown.split(new RegExp(`^(?=${level} )`, 'm')).find((part) => part.startsWith(`${level} ${heading}\n`)) ?? '';

const withoutSpaces = (text: string): string => text.replaceAll(/\s/g, '');

/** Returns options in the form of the tables: nested options with a dot, values as in source code. */
const rowsOf = (defaults: object, prefix = ''): [option: string, value: string][] =>
  Object.entries(defaults).flatMap(([key, value]: [string, unknown]) =>
    GROUPS.has(key) && value !== undefined
      ? rowsOf(value as object, `${key}.`)
      : [[`${prefix}${key}`, NAMES.get(value) ?? inspect(value, { numericSeparator: true })]],
  );

/** Formats a value as a user would write it, without the defaults inside. */
function policyText(policy: RestartPolicy): string {
  const { maxMs } = policy;
  const others = Object.entries(policy).filter(
    ([key, value]) => restartBackoff(key === 'maxMs' ? {} : { maxMs })[key as keyof RestartPolicy] !== value,
  );
  const text = others.length > 0 ? inspect(Object.fromEntries(others), { numericSeparator: true }) : '';
  return `restartBackoff(${text})`;
}

const GROUPS = new Set(['exit', 'shedResponse']);
/** Dataflow creates its default for each graph. */
const DATAFLOW_LOGGER = consoleLogger('dataflow');
const NAMES = new Map<unknown, string>([
  [systemClock, 'systemClock'],
  [DEFAULT_SHUTDOWN_OPTIONS.logger, "consoleLogger('shutdown')"],
  [DEFAULT_ACTOR_SYSTEM_OPTIONS.logger, "consoleLogger('actors')"],
  [DATAFLOW_LOGGER, "consoleLogger('dataflow')"],
  [DEFAULT_DRAIN_OPTIONS.logger, "consoleLogger('drain')"],
  [DEFAULT_ACTOR_SYSTEM_OPTIONS.supervision, 'oneForOne()'],
  [DEFAULT_ACTOR_SYSTEM_OPTIONS.random, 'Math.random'],
  [DEFAULT_ACTOR_SYSTEM_OPTIONS.propsOfClass, 'throws UnknownActorClassError'],
  [DEFAULT_WORKERS_OPTIONS.logger, "consoleLogger('workers')"],
  [DEFAULT_WORKERS_OPTIONS.restart, policyText(DEFAULT_WORKERS_OPTIONS.restart)],
  [plainSerializer, 'plainSerializer'],
  [DEFAULT_FLEET_OPTIONS.logger, 'primaryLogger'],
  [DEFAULT_FLEET_OPTIONS.restart, policyText(DEFAULT_FLEET_OPTIONS.restart)],
]);

const optionsOf = (lib: string): string => section(readText(`libs/${lib}/README.md`), 'Options');

describe('An option table', () => {
  it.each<[where: string, part: string, defaults: object]>([
    ['@roost/shutdown', optionsOf('shutdown'), DEFAULT_SHUTDOWN_OPTIONS],
    ['@roost/drain', optionsOf('drain'), DEFAULT_DRAIN_OPTIONS],
    ['@roost/actors', optionsOf('actors'), { ...DEFAULT_ACTOR_SYSTEM_OPTIONS, ...DEFAULT_ACTOR_SYSTEM_MODULE_OPTIONS }],
    ['@roost/health', optionsOf('health'), { ...DEFAULT_HEALTH_OPTIONS, ...DEFAULT_HEALTH_ROUTE_OPTIONS }],
    ['@roost/workers', section(optionsOf('workers'), 'WorkersModule', '###'), DEFAULT_WORKERS_OPTIONS],
    [
      'launch()',
      section(optionsOf('workers'), 'launch', '###'),
      { ...DEFAULT_FLEET_OPTIONS, app: undefined, maxWaitMs: undefined, statusSocket: undefined },
    ],
    [
      '@roost/dataflow',
      section(optionsOf('dataflow'), 'DataflowModule', '###'),
      {
        ...DEFAULT_DATAFLOW_OPTIONS,
        ...DEFAULT_DATAFLOW_MODULE_OPTIONS,
        ...{ graph: undefined, timeout: undefined, replay: undefined, clock: systemClock, logger: DATAFLOW_LOGGER },
        exit: undefined,
      },
    ],
    [
      'DataflowModule.forNode()',
      section(optionsOf('dataflow'), 'forNode', '###'),
      {
        ...DEFAULT_PROCESS_OPTIONS,
        ...{ placement: undefined, process: undefined, transport: undefined, coordinatorAddress: undefined },
        ...{ token: undefined, listening: undefined, serializer: plainSerializer },
      },
    ],
    ['restartBackoff()', section(readText('docs/background-work.md'), 'Restart a failed process'), restartBackoff()],
  ])('of %s has every option with its default, and no other', (_where, part, defaults) => {
    const documented = codeRows(part).map(([option = '', value = '']) => [option, withoutSpaces(value)]);
    const expected = rowsOf(defaults).map(([option, value]) => [option, withoutSpaces(value)]);
    expect(documented.sort()).toEqual(expected.sort());
  });
});

describe('The page of error codes', () => {
  const libs = packagesIn('libs').map(({ dir }) => ({ dir, prefix: dir.slice('libs/'.length).toUpperCase() }));
  const prefixes = libs.map(({ prefix }) => prefix).join('|');
  const sources = libs
    .flatMap(({ dir }) => filesBelow(`${dir}/src`))
    .filter((file) => file.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(file))
    .map(readText);
  const page = readText('docs/error-codes.md');
  /** The class of each code, which begins the first sentence below the code's heading. */
  const documented = new Map(
    [...page.matchAll(/^### ([A-Z0-9_]+)\n\n(?:`(\w+)`: )?/gm)].map(([, code = '', className = '']) => [
      code,
      className,
    ]),
  );

  const thrown = new Set(
    sources.flatMap((text) =>
      [...text.matchAll(new RegExp(`'((?:${prefixes})(?:_[A-Z0-9]+)+)'`, 'g'))].map(([, code = '']) => code),
    ),
  );
  const classes = sources.flatMap((text) =>
    [...text.matchAll(/export class (\w+) extends \w+Error \{[^]*?super\(\s*'([A-Z0-9_]+)'/g)].map(
      ([, className = '', code = '']): [string, string] => [code, className],
    ),
  );

  it('has a fix for every code', () => {
    const entries = page.split(/^(?=##)/m).filter((entry) => entry.startsWith('### '));
    expect(entries.filter((entry) => !entry.includes('\n**Fix:** '))).toEqual([]);
  });

  it('has every code at the address that its errors name', () => {
    const { code, message } = new InvalidTimeOptionError('drian', 1, 'left out');
    expect(message).toContain(`/error-codes#${code.toLowerCase()})`);
    expect(anchors(page)).toEqual(expect.arrayContaining([...thrown].map((thrownCode) => thrownCode.toLowerCase())));
  });

  it('lists every code of the sources, and no other', () => {
    expect(thrown.size).toBeGreaterThan(0);
    expect([...documented.keys()].sort()).toEqual([...thrown].sort());
  });

  it('names the class of every code', () => {
    expect(classes.length).toBeGreaterThan(0);
    expect(classes.map(([code]) => [code, documented.get(code)])).toEqual(classes);
  });

  it('mentions only codes that have an entry', () => {
    const mentioned = [...page.matchAll(new RegExp(`\\b(?:${prefixes})(?:_[A-Z0-9]+)+\\b`, 'g'))].map(([code]) => code);
    expect(mentioned.filter((code) => !documented.has(code))).toEqual([]);
  });
});
