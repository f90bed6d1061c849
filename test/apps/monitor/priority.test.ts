import { basename, dirname } from 'node:path';
import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/apps/monitor/config/config.ts';
import { createPriorities } from '../../../src/apps/monitor/priority.ts';

const { priority } = parseConfig({
  priority: {
    dirs: { '/docs': 100, '/docs/_old': 10, '/': 1 },
    weights: {
      depth_multiplier: 0.5,
      underscore_multiplier: 0.25,
      only_underscore_multiplier: 0.125,
      extension_weights: { '.md': 2, '.constructor': 3 },
    },
  },
});

it.each([
  ['/docs/a.txt', 100],
  ['/docs/a.md', 200],
  ['/docs/x/a.txt', 50],
  ['/docs/x/y/a.txt', 25],
  ['/docs/_x/a.txt', 100 * 0.5 * 0.25],
  ['/docs/__x/a.txt', 100 * 0.5 * 0.25 ** 2],
  ['/docs/_/a.txt', 100 * 0.5 * 0.125],
  ['/docs/_a.txt', 100 * 0.5 * 0.25],
  ['/docs/_old/a.txt', 10],
  ['/other/a.txt', 0.5],
  ['/a.toString', 1],
  ['/docs/.md', 100],
])('[MON-05] %s has priority %d', (path, value) => {
  expect(createPriorities(priority).forDirectory(dirname(path))(basename(path))).toBe(value);
});

it('[MON-05] what lies in no directory with a priority has priority 0', () => {
  const { priority: none } = parseConfig({ priority: { dirs: { '/docs': 5 } } });
  expect(createPriorities(none).forDirectory('/docsy')('a.txt')).toBe(0);
});
