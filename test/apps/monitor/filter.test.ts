import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FilterConfig, parseConfig } from '../../../src/apps/monitor/config/config.ts';
import { createFilter } from '../../../src/apps/monitor/config/filter.ts';
import { createGlob } from '../../../src/apps/monitor/config/glob.ts';
import { toCodePoints } from '../../../src/apps/monitor/config/glob-tokens.ts';

/** What both ways to ask must agree on. */
function judge(filter: Partial<FilterConfig>, path: string) {
  const { filter: config } = parseConfig({ filter });
  const rules = createFilter(config, ['/own/monitor.db']);
  const { isMonitored, reason } = rules.explain(path);
  expect(rules.forDirectory(dirname(path))(basename(path))).toBe(isMonitored);
  return `${isMonitored ? '+' : '-'} ${reason}`;
}

describe('the filter', () => {
  it.each<[Partial<FilterConfig>, string, string]>([
    [{}, '/a/b.txt', '+ in include_paths: /'],
    [{}, '/own/monitor.db', '- a file of the monitor itself'],
    [{ include_paths: [] }, '/a/b.txt', '- no include_paths are defined'],
    [{ include_paths: ['/a'] }, '/b/c.txt', '- outside include_paths'],
    [{ include_paths: ['/a'] }, '/ab/c.txt', '- outside include_paths'],
    [{ include_paths: ['/a'], exclude_paths: ['/a/b'] }, '/a/c.txt', '+ in include_paths: /a'],
    [{ include_paths: ['/a'], exclude_paths: ['/a/b'] }, '/a/b/c/d.txt', '- in exclude_paths: /a/b'],
    [{ include_paths: ['/a', '/a/b/c'], exclude_paths: ['/a/b'] }, '/a/b/c/d.txt', '+ in include_paths: /a/b/c'],
    [{ exclude_paths: ['/a/b.txt'] }, '/a/b.txt', '- in exclude_paths: /a/b.txt'],
    [{ include_paths: ['/a/b.txt'] }, '/a/b.txt', '+ in include_paths: /a/b.txt'],
    [{ include_paths: ['/a/b.txt'] }, '/a/c.txt', '- outside include_paths'],
    [{ exclude_dirnames: ['scratch'] }, '/a/scratch/b/c.txt', '- in exclude_dirnames: scratch'],
    [{ exclude_dirnames: ['scratch'] }, '/a/scratch', '- in exclude_dirnames: scratch'],
    [{ exclude_dirnames: ['scratch'] }, '/a/scratch2/c.txt', '+ in include_paths: /'],
    [{ exclude_globs: ['*.log'] }, '/a/b.log', '- matches exclude_globs'],
    [{ exclude_globs: ['/a/*.log'] }, '/a/b/c.log', '- matches exclude_globs'],
    [{ exclude_globs: ['*.LOG'] }, '/a/b.log', '+ in include_paths: /'],
    [{ exclude_dirnames: ['scratch'], include_dirnames: ['keep'] }, '/scratch/keep/a', '+ in include_dirnames: keep'],
    [
      { exclude_dirnames: ['scratch'], include_dirnames: ['keep'] },
      '/scratch/keep/b/a',
      '- in exclude_dirnames: scratch',
    ],
    [{ exclude_globs: ['*.log'], include_globs: ['*/main.log'] }, '/a/main.log', '+ matches include_globs'],
    [{ include_paths: ['/a'], include_globs: ['*'] }, '/b/c.txt', '- outside include_paths'],
  ])('[MON-04] %j says of %s: %s', (filter, path, verdict) => {
    expect(judge(filter, path)).toBe(verdict);
  });

  it('[MON-04] tells every decision on the way', () => {
    const { filter } = parseConfig({ filter: { exclude_dirnames: ['scratch'], include_globs: ['*.md'] } });
    expect(createFilter(filter).explain('/scratch/a.md').decisions).toEqual([
      { symbol: '+', message: 'in include_paths: /' },
      { symbol: '-', message: 'in exclude_dirnames: scratch' },
      { symbol: '+', message: 'matches include_globs' },
    ]);
  });
});

describe('a glob', () => {
  it.each([
    ['*.txt', 'a/b.txt', true],
    ['*.txt', 'a.txtx', false],
    ['a?c', 'a/c', true],
    ['a?c', 'ac', false],
    ['**', '', true],
    ['[ab]*', 'b1', true],
    ['[!ab]*', 'b1', false],
    ['[!ab]*', 'c1', true],
    ['[]]', ']', true],
    ['[!]]', ']', false],
    ['[a-c]', 'b', true],
    ['[^a]', '^', true],
    ['[', '[', true],
    ['[!]', '[!]', true],
    ['[z-a]', '[z-a]', true],
    ['a.b+(c)|$', 'a.b+(c)|$', true],
    ['a.b', 'axb', false],
    ['\\d', '\\d', true],
    ['*', 'two\nlines', true],
    ['?', '😀', true],
  ])('[MON-04] %s matches %j: %s', (glob, text, isMatch) => {
    expect(createGlob(glob)(toCodePoints(text))).toBe(isMatch);
  });
});
