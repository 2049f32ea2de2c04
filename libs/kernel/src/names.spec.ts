import { counted, kebabCase } from './names.js';

describe('kebabCase', () => {
  it.each([
    ['AdminEndpoint', 'admin-endpoint'],
    ['Import2Done', 'import2-done'],
    ['x', 'x'],
    ['', ''],
  ])('turns %p into %p', (name, expected) => {
    expect(kebabCase(name)).toBe(expected);
  });
});

describe('counted', () => {
  it.each([
    [0, '0 actors'],
    [1, '1 actor'],
    [2, '2 actors'],
  ])('of %d is %p', (count, expected) => {
    expect(counted(count, 'actor')).toBe(expected);
  });
});
