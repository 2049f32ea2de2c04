import { filesBelow, readText } from '../support/workspace.js';
import { ambiguousNames, exportedNames } from './exported-names.js';

describe('exportedNames', () => {
  it.each([
    ['export const a = 1, b = 2;', ['a', 'b']],
    ['export const { a, b: c, ...d } = x;', ['a', 'c', 'd']],
    ['export const [a, , b] = x;', ['a', 'b']],
    [
      'export function a(): void {} export class B {} export interface C {} export type D = 1; export enum E {}',
      [...'aBCDE'],
    ],
    ['export type A = 1; export const A = 1;', ['A']],
    ['export function a(x: 1): 1; export function a(x: unknown): unknown { return x; }', ['a']],
    ['const a = 1; export { a as b };', ['b']],
    ["const a = 1; export { b } from './b.js'; export * from './c.js'; export default a;", []],
  ])('returns the names of %p', (code, names) => {
    expect([...exportedNames('a.ts', code)]).toEqual(names);
  });
});

describe('ambiguousNames', () => {
  it('lists names that two files declare, with the files', () => {
    const files = new Map([
      ['a.ts', 'export const x = 1; export const y = 1;'],
      ['b.ts', 'export type x = 1;'],
      ['c.ts', "export { y } from './a.js';"],
    ]);
    expect(ambiguousNames(files)).toEqual(['x: a.ts, b.ts']);
  });
});

describe('This repository', () => {
  const sources = filesBelow('libs').filter(
    (file) => /^libs\/[^/]+\/src\/.*\.ts$/.test(file) && !/\.(spec|fixture)\.ts$/.test(file),
  );

  /** The option checks are the same in every lib, except for the error they throw. */
  const isChecks = (line: string): boolean => line.startsWith('check: ');

  it('gives every exported name of the libs one meaning', () => {
    expect(sources.length).toBeGreaterThan(400);
    const ambiguous = ambiguousNames(new Map(sources.map((file) => [file, readText(file)])));
    expect(ambiguous.filter((line) => !isChecks(line))).toEqual([]);
  });
});
