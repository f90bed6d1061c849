import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the dependencies', () => {
  // One named `node` would put its own binary before the real one in every npm script.
  it('[PKG-07] hold no Node', async () => {
    const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } = packages[''];
    const direct = { ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies };
    const isNode = (spec: unknown) => /^npm:node@/.test(String(spec));
    expect(Object.entries(direct).filter(([name, spec]) => name === 'node' || isNode(spec))).toEqual([]);
    expect(Object.keys(packages)).not.toContain('node_modules/node');
    expect(await readdir(join(root, 'node_modules', '.bin'))).not.toContain('node');
  });

  it('in the lock file are the ones in package.json', async () => {
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
    expect(packages['']).toMatchObject({ dependencies, devDependencies });
    const direct = Object.entries({ ...dependencies, ...devDependencies });
    const loose = direct.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(String(version)));
    // A server and what is registered on it must share one SDK, so its range is as wide as it may be.
    expect(loose).toEqual([['@modelcontextprotocol/server', '>=2.3.0 <3']]);
  });

  it('[PKG-06] need no compiler: the one native package brings a binary for every platform', async () => {
    const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
    const withScripts = Object.entries<{ hasInstallScript?: boolean }>(packages)
      .filter(([, entry]) => entry.hasInstallScript)
      .map(([path]) => path);
    expect(withScripts).toEqual(['node_modules/@photostructure/sqlite']);
    expect((await readFile(join(root, '.npmrc'), 'utf8')).split('\n')).toContain('ignore-scripts=true');
    const binaries = await readdir(join(root, 'node_modules', '@photostructure', 'sqlite', 'prebuilds'));
    expect(binaries).toEqual(expect.arrayContaining(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']));
  });
});
