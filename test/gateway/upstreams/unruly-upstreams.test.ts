/** Upstreams that behave badly: each is named, and the others are served. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openMirror } from '../mirror/open-mirror.ts';
import { foreign } from '../open-gateway.ts';

const unruly = (mode: string) => {
  const { args = [], ...spec } = foreign('unruly-server')('') as { command: string; args?: string[] };
  return { ...spec, args: [...args.slice(0, 1), mode], stderr: 'ignore' as const };
};

describe('a gateway before servers of which some behave badly', () => {
  it('[GATE-220] serves those that can be served, and tells of each call what went wrong with it', async () => {
    const modes = ['silent', 'dies', 'garbage', 'wrong-ids', 'flood', 'huge'];
    const mirror = await openMirror({
      upstreams: Object.fromEntries(modes.map((mode) => [mode, unruly(mode)])),
      connectMs: 3000,
      onError: () => {},
    });
    const client = await mirror.client('legacy');
    const listed = async () => {
      const { tools } = (await client.request('tools/list')).result as { tools: { name: string }[] };
      return tools.map(({ name }) => name).filter((name) => name.startsWith('do-'));
    };
    const served = ['do-garbage', 'do-wrong-ids', 'do-flood', 'do-huge'];
    await until(async () => (await listed()).length === served.length, { what: 'the others', timeoutMs: 60_000 });
    expect((await listed()).sort()).toEqual([...served].sort());
    const call = (name: string) => client.request('tools/call', { name, arguments: {} });
    expect((await call('do-garbage')).result?.content).toEqual([{ type: 'text', text: 'garbage did it' }]);
    expect((await call('do-wrong-ids')).result?.content).toEqual([{ type: 'text', text: 'wrong-ids did it' }]);
    expect((await call('do-flood')).result?.content).toEqual([{ type: 'text', text: 'flood did it' }]);
    const { error } = await call('do-huge');
    expect(error?.message).toMatch(/^upstream huge: .*16777216/);
  });

  it('[GATE-231] starts before one that ends just while it is asked for its tools, and comes back', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-unruly-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    await writeFile(join(dir, 'end-at-list'), '');
    const mirror = await openMirror({ upstream: foreign('handmade-server')(dir) });
    const client = await mirror.client('legacy');
    const { tools } = (await client.request('tools/list')).result as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toContain('hold');
    const notes = (await readFile(join(dir, 'runs.txt'), 'utf8')).split('\n');
    expect(notes.filter((note) => note.startsWith('hello'))).toHaveLength(2);
  });
});
