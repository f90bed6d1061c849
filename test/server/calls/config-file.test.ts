import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createServer } from 'holdfast';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readConfig } from '../../../src/server/config-file.ts';
import { JOB_META, openJobSession, serveJobs, toReport } from '../jobs/open-job-calls.ts';
import { openHttp } from '../open-http.ts';

const PROFILES = { profiles: { raw: { giveUpMs: 5000, jobs: true } } };

/** A folder for configuration files; the path and the text of one. */
async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-config-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = async (name: string, content: unknown) => {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  return { folder, write };
}

describe('the configuration file', () => {
  it('[JOB-56] is the one that is named, else that in the user’s configuration directory', async () => {
    const { folder, write } = await openFolder();
    const named = await write('mine.json', PROFILES);
    expect(readConfig({ HOLDFAST_CONFIG: named, XDG_CONFIG_HOME: folder })).toEqual(PROFILES);
    await write('holdfast/config.json', { profiles: { other: { giveUpMs: null } } });
    expect(readConfig({ XDG_CONFIG_HOME: folder })).toEqual({ profiles: { other: { giveUpMs: null } } });
    expect(readConfig({ HOLDFAST_CONFIG: '', XDG_CONFIG_HOME: folder }).profiles).toHaveProperty('other');
  });

  it('[JOB-57] need not be there unless it is named', async () => {
    const { folder } = await openFolder();
    expect(readConfig({ XDG_CONFIG_HOME: folder })).toEqual({ profiles: {} });
    const missing = join(folder, 'none.json');
    expect(() => readConfig({ HOLDFAST_CONFIG: missing })).toThrow(`${missing} cannot be read: ENOENT`);
    expect(() => readConfig({ HOLDFAST_CONFIG: folder })).toThrow(`${folder} cannot be read: EISDIR`);
  });

  it.each([
    ['{', ' is not JSON: '],
    ['[]', ' is not an object; expected { "profiles": { … } }'],
    ['null', ' is not an object; expected { "profiles": { … } }'],
    ['{"profile":{}}', ': profile is not known (did you mean profiles?); expected profiles'],
    ['{"profiles":[]}', ': profiles is []; expected an object of profiles by client name'],
    ['{"profiles":{"x":{"giveUpMs":-1}}}', ': profiles["x"].giveUpMs is -1; expected a number above 0'],
  ])('[JOB-58] that says %s is refused with a message that names it', async (text, message) => {
    const { write } = await openFolder();
    const path = await write('config.json', text);
    expect(() => readConfig({ HOLDFAST_CONFIG: path })).toThrow(`${path}${message}`);
  });

  it('[JOB-59] makes the calls of a client jobs, and a call may still say no', async () => {
    const { write } = await openFolder();
    vi.stubEnv('HOLDFAST_CONFIG', await write('config.json', PROFILES));
    onTestFinished(() => void vi.unstubAllEnvs());
    const session = await openJobSession(await serveJobs(await openHttp()));
    expect(toReport((await session.request('tools/call', { name: 'fixed' })).result).success).toBe(true);
    const plain = await session.request('tools/call', { name: 'fixed', _meta: { [JOB_META]: false } });
    expect(plain.result).toEqual({ content: [{ type: 'text', text: 'done' }] });
  });

  it('[JOB-60] that cannot be used is told before anybody is served', async () => {
    const { folder, write } = await openFolder();
    vi.stubEnv('HOLDFAST_CONFIG', await write('config.json', '{'));
    vi.stubEnv('HOLDFAST_DIR', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = createServer({ name: 'test', version: '1', workers: 'inline' });
    onTestFinished(() => server.close().catch(() => {}));
    server.tool('work', { run: () => 'done' });
    await expect(server.listen({ port: 0, unprotected: true })).rejects.toThrow('config.json is not JSON');
  });
});
