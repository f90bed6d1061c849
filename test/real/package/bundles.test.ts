import { describe, expect, it } from 'vitest';
import { fetchNode } from '../../../scripts/fetched/fetch-node.mjs';
import { makeBundle } from '../../bundles/make-bundle.ts';
import { expectDurable, openApp } from '../../frameworks/open-app.ts';

describe('a bundle that was moved away from all packages', () => {
  it.each([22, 24] as const)('[FIRST-223] needs nothing but Node %i, which has SQLite', async (major) => {
    const { path } = await makeBundle('esbuild to ESM');
    const app = await openApp({ name: 'bundled', node: await fetchNode(major), args: [path] });
    await expectDurable(app);
    const call = await app.host.call('app', 'block', { ms: 2500 });
    expect(await call.outcome()).toMatchObject({ kind: 'result' });
    expect(app.stderr()).toBe('');
  });
});
