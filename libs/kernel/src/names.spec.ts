import { counted, kebabCase } from './names.js';

describe('kebabCase', () => {
  it.each([
    ['AdminEndpoint', 'admin-endpoint'],
    ['Import2Done', 'import2-done'],
    ['x', 'x'],
    ['', ''],
  ])('converts %p to %p', (name, expected) => {
    expect(kebabCase(name)).toBe(expected);
  });
});

describe('counted', () => {
  it.each([
    [0, '0 actors'],
    [1, '1 actor'],
    [2, '2 actors'],
  ])('formats %d as %p', (count, expected) => {
    expect(counted(count, 'actor')).toBe(expected);
  });
});
