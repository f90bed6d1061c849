/** What is copied on the page is pasted and run: in a shell, in Node, in the configuration of a client. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createHost } from 'holdfast/host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CopyTexts } from '../../../src/sandbox/copy/copy-texts.ts';
import { toShellWord } from '../../../src/text/shell-word.ts';
import { browserPath, chooseTool, startBrowser } from '../../sandbox/open-page.ts';
import { clearSandbox, type RunningSandbox, startSandbox } from '../../sandbox/open-sandbox.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);
const HOSTILE = `'; touch pwned; ' "$(touch pwned)" \`touch pwned\` \\ \n \${HOME} é 字 \u009b \u202e !`;

describe('copied calls', { timeout: 300_000 }, () => {
  let sandbox: RunningSandbox;
  let folder: string;

  beforeAll(async () => {
    sandbox = await startSandbox();
    folder = await mkdtemp(join(tmpdir(), 'holdfast-copied-'));
    await mkdir(join(folder, 'node_modules'));
    await symlink(root, join(folder, 'node_modules', 'holdfast'));
  }, 120_000);
  afterAll(async () => {
    await clearSandbox(sandbox);
    await rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  });

  const options = () => ({
    cwd: folder,
    env: { ...process.env, HOLDFAST_DIR: join(folder, 'state') },
    timeout: 120_000,
  });
  const copy = async (tool: string, args: object) => {
    const { call } = await sandbox.post<{ call: { callId: string } }>('calls', { server: 'demo', tool, args });
    return sandbox.get<CopyTexts & { cli: string }>(`calls/${call.callId}/copy`);
  };
  const runModule = async (text: string, ...flags: readonly string[]) => {
    const path = join(folder, 'copied.mjs');
    await writeFile(path, text);
    return run(process.execPath, [...flags, path], options());
  };

  it('[SAND-220] words come out of a shell as they went in', async () => {
    const words = ['plain', '', "it's", HOSTILE, '-n', '$HOME', '*', '~', 'a\tb', '\u0001'];
    const line = `node -p 'JSON.stringify(process.argv.slice(1))' -- ${words.map(toShellWord).join(' ')}`;
    expect(JSON.parse((await run('bash', ['-c', line], options())).stdout)).toEqual(words);
  });

  it('[SAND-222] the command line, the TypeScript and the configuration call what was called, and nothing else', async () => {
    const { cli, typescript, config } = await copy('greet', { name: HOSTILE });
    const shell = await run('bash', ['-c', cli], options());
    expect(shell.stdout).toContain('é 字');
    const { stdout } = await runModule(typescript);
    const outcome = JSON.parse(stdout) as { kind: string; result: { content: { text: string }[] } };
    expect(outcome.kind).toBe('result');
    expect(outcome.result.content[0]?.text).toContain(HOSTILE);
    const host = await createHost();
    const { mcpServers } = JSON.parse(config) as { mcpServers: { demo: { command: string; args: string[] } } };
    await host.connect('demo', { ...mcpServers.demo, env: { HOLDFAST_DIR: join(folder, 'state') } });
    expect((await host.tools('demo')).map(({ name }) => name)).toContain('greet');
    await host.close();
    await expect(run('ls', ['pwned'], options())).rejects.toThrow('pwned');
  });

  it('[SAND-222] the test passes for a call that works, and fails for one that does not', async () => {
    await runModule((await copy('greet', { name: 'Ann' })).test, '--test');
    const { test } = await copy('fail', { how: 'result' });
    await expect(runModule(test, '--test')).rejects.toMatchObject({
      stdout: expect.stringContaining('failed politely'),
    });
  });

  it.skipIf(browserPath === undefined)('[SAND-223] a call is copied on its card', async () => {
    const browser = await startBrowser();
    try {
      await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const page = await browser.open(sandbox.url);
      await chooseTool(page, 'sleep');
      await page.getByLabel('ms').fill('50');
      await page.getByRole('button', { name: 'Call sleep' }).click();
      const card = page.locator('article.call').filter({ hasText: 'slept 50 ms' }).first();
      await card.getByText('Copy as…').click();
      const block = card.locator('[data-copy=cli]');
      await block.getByRole('button', { name: 'Copy' }).click();
      await block.getByRole('button', { name: 'Copied' }).waitFor();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(copied).toBe(await block.locator('pre').textContent());
      expect((await run('bash', ['-c', copied], options())).stdout).toContain('slept 50 ms');
      expect(browser.complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
