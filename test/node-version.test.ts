import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { findNodeFault } from '../src/node-version.ts';

describe('the version of Node', () => {
  it.each(['18.20.8', '20.18.3', '16.0.0', '0.12.18'])(
    '[FIRST-310] %s is refused in one line that names it',
    (version) => {
      expect(findNodeFault(version)).toBe(
        `holdfast needs Node 20.19 or newer, and this is ${version}; install a newer one from https://nodejs.org`,
      );
    },
  );

  it.each(['20.19.0', '20.20.2', '22.13.0', '24.0.0', '101.0.0'])('[FIRST-310] %s will do', (version) => {
    expect(findNodeFault(version)).toBeUndefined();
  });

  it('[FIRST-310] is the one that package.json asks for', async () => {
    const { engines } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    expect(findNodeFault('18.0.0')).toContain(`Node ${engines.node.replace('>=', '')} or newer`);
  });
});
