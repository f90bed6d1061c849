import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const require = createRequire(import.meta.url);
const readJson = async (file: string) => JSON.parse(await readFile(join(root, file), 'utf8'));

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
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } = await readJson('package.json');
    const { packages } = await readJson('package-lock.json');
    expect(packages['']).toMatchObject({ dependencies, devDependencies, optionalDependencies, peerDependencies });
    const direct = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    const loose = direct.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(String(version)));
    // A server and what is registered on it must share one SDK, so its range is as wide as it may be.
    expect(loose).toEqual([['@modelcontextprotocol/server', '>=2.3.0 <2.5.0']]);
  });

  it('[ROOMS-158] leave zod to the user, whose schemas are part of the API', async () => {
    const { dependencies, devDependencies, peerDependencies } = await readJson('package.json');
    expect(dependencies).not.toHaveProperty('zod');
    // Any zod 4: `test/real/package/zod-versions.test.ts` compiles and runs with the oldest and the newest.
    expect(peerDependencies).toEqual({ pg: '^8.11.0', zod: '^4.0.0' });
    expect(devDependencies.zod).toMatch(/^4\./);
  });

  it('[FIRST-323] need the SQLite addon only where Node has no SQLite', async () => {
    const { dependencies, optionalDependencies } = await readJson('package.json');
    expect(dependencies).not.toHaveProperty('@photostructure/sqlite');
    expect(Object.keys(optionalDependencies)).toEqual(['@photostructure/sqlite']);
  });

  it('[FIRST-324] belong to a package that can be published, with its changes told', async () => {
    const { private: isPrivate, files, license, description, keywords, version } = await readJson('package.json');
    expect({ isPrivate, license }).toEqual({ isPrivate: undefined, license: 'Apache-2.0' });
    expect([description, ...keywords].every((text) => text !== '')).toBe(true);
    expect(files).toEqual(expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md']));
    expect(await readFile(join(root, 'CHANGELOG.md'), 'utf8')).toContain(`\n## ${version}\n`);
    expect(await readJson('.changeset/config.json')).toMatchObject({ access: 'public', baseBranch: 'main' });
    const release = await readFile(join(root, '.github', 'workflows', 'release.yml'), 'utf8');
    expect(release).toMatch(/id-token: write[\s\S]*NPM_CONFIG_PROVENANCE: ["']true["']/);
  });

  it('[ROOMS-159] have no SDK for servers of a minor version that was not looked at', async () => {
    const { dependencies } = await readJson('package.json');
    const { version } = await readJson('node_modules/@modelcontextprotocol/server/package.json');
    const [major, minor] = version.split('.').map(Number);
    expect(dependencies['@modelcontextprotocol/server']).toMatch(new RegExp(`<${major}\\.${minor + 1}\\.0$`));
  });

  // What is changed or relied on beside the SDK's documented API. A version that moves it must not be installed with us.
  it('[ROOMS-159] have an SDK with everything that is patched in it', () => {
    const mcp = new McpServer({ name: 'x', version: '1' }, { capabilities: { tools: {} } });
    // Answers pass through `connect` and the transport's `send`; calls reach the fallback, because their handler goes.
    expect(mcp.server.connect).toBeTypeOf('function');
    expect(mcp.server.removeRequestHandler).toBeTypeOf('function');
    // Schemas for the check of `Mcp-Param-*` headers are asked for here.
    expect(mcp.toolInputSchemaJson).toBeTypeOf('function');
    // The host puts a buffer of its own in the place of this one, and finds the child here.
    const child = new StdioClientTransport({ command: 'none' });
    expect(child).toHaveProperty('_readBuffer');
    expect(readFileSync(require.resolve('@modelcontextprotocol/client/stdio'), 'utf8')).toContain('this._process = ');
  });

  it('[PKG-06] need no compiler: the one native package brings a binary for every platform', async () => {
    const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
    const withScripts = Object.entries<{ hasInstallScript?: boolean }>(packages)
      .filter(([, entry]) => entry.hasInstallScript)
      .map(([path]) => path);
    // That of esbuild only makes it start sooner, and is not run.
    expect(withScripts).toEqual(['node_modules/@photostructure/sqlite', 'node_modules/esbuild']);
    expect((await readFile(join(root, '.npmrc'), 'utf8')).split('\n')).toContain('ignore-scripts=true');
    const binaries = await readdir(join(root, 'node_modules', '@photostructure', 'sqlite', 'prebuilds'));
    expect(binaries).toEqual(expect.arrayContaining(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']));
  });
});
