import { expect, it } from 'vitest';
import { isRefOf, toCandidatesText, toShortId, toShortIds } from '../../src/cli/stores/short-ids.ts';
import { toServerText } from '../../src/cli/terminal/server-text.ts';
import { makeTaskId } from '../../src/task/id.ts';

const TIME = '01k0000000';

it('[FIRST-413] ids are shown as short as tells them apart, and what is shown is taken', () => {
  const ids = [`${TIME}aaaaaaaabb`, `${TIME}aaaaaaaacc`, `${TIME}zzzzzzzzzz`];
  const short = toShortIds(ids);
  expect([...short.values()].sort()).toEqual(['aaaaaaaab', 'aaaaaaaac', 'zzzzzz']);
  for (const id of ids) expect(ids.filter((one) => isRefOf(short.get(id) ?? '', one))).toEqual([id]);
});

it('[FIRST-413] of a thousand ids made at once none is shown with more than a few characters', () => {
  const ids = Array.from({ length: 1000 }, () => makeTaskId(1));
  const short = toShortIds(ids);
  expect(new Set(short.values()).size).toBe(1000);
  expect(Math.max(...[...short.values()].map(({ length }) => length))).toBeLessThan(12);
});

it('an id that somebody else made is shown whole when it is short', () => {
  expect(toShortId('mine')).toBe('mine');
  expect(toCandidatesText(['a', 'b', 'c', 'd', 'e', 'f'])).toBe('a, b, c, d, e and more');
});

it.each([
  ['command:["node","a b.js"]@/home/ada', 'node a b.js'],
  ['reports@/home/ada/.mcp.json', 'reports'],
  ['https://ada@example.org/mcp', 'https://ada@example.org/mcp'],
  ['command:[broken]@/', 'command:[broken]@/'],
  ['plain', 'plain'],
])('[FIRST-417] the server %s is called %s', (name, text) => {
  expect(toServerText(name)).toBe(text);
});
