/** The panel of prompts in a real browser: every kind, and what is written back for it; and a ChatOS plugin behind it. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from 'holdfast/testing';
import { createPromptLog } from 'holdfast/ui-prompts';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, chooseTool, findFaults, goTo, type OpenBrowser, startBrowser } from '../../sandbox/open-page.ts';
import { clearSandbox, type RunningSandbox, startSandbox } from '../../sandbox/open-sandbox.ts';

const PLUGIN = fileURLToPath(new URL('../../programs/chatos-plugin', import.meta.url));
const DIFF = ['--- a/notes.txt', '+++ b/notes.txt', '@@ -1,2 +1,2 @@', ' kept', '-old', '+new'].join('\n');

interface Entry {
  readonly ts: string;
  readonly type: string;
  readonly action: string;
  readonly requestId: string;
  readonly runId?: string;
  readonly prompt?: { readonly kind: string; readonly markdown?: string };
  readonly response?: object;
}

describe.skipIf(browserPath === undefined)('the panel of prompts', { timeout: 300_000 }, () => {
  let sandbox: RunningSandbox;
  let browser: OpenBrowser;
  let page: Page;

  beforeAll(async () => {
    sandbox = await startSandbox(['--plugin-dir', PLUGIN]);
    browser = await startBrowser();
    page = await browser.open(sandbox.url);
  });

  afterAll(async () => {
    await browser?.close();
    if (sandbox) await clearSandbox(sandbox);
  });

  const toPath = () => join(sandbox.directory, 'state', 'ui-prompts.jsonl');
  const readEntries = async (): Promise<Entry[]> =>
    (await readFile(toPath(), 'utf8'))
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Entry);

  /** Asks as an app does, and gives the card that the page shows. */
  const ask = async (prompt: object, requestId: string): Promise<Locator> => {
    await createPromptLog({ path: toPath() }).request(prompt, { requestId, runId: 'run-1' });
    await goTo(page, 'Prompts');
    const card = page.locator(`article.prompt-open[data-request="${requestId}"]`);
    await card.waitFor();
    return card;
  };

  /** The response, once it is in the file; in the order of its fields. */
  const readResponse = async (requestId: string): Promise<object | undefined> => {
    const isAnswer = (entry: Entry) => entry.action === 'response' && entry.requestId === requestId;
    const entry = await until(async () => (await readEntries()).find(isAnswer), {
      what: 'the response',
      timeoutMs: 60_000,
    });
    expect(Object.keys(entry)).toEqual(['ts', 'type', 'action', 'requestId', 'runId', 'response']);
    expect(entry).toMatchObject({ ts: expect.stringMatching(/^\d{4}-.*Z$/), type: 'ui_prompt', runId: 'run-1' });
    await page.locator(`article.prompt:not(.prompt-open)[data-request="${requestId}"]`).waitFor();
    return entry.response;
  };

  it('[SAND-300] kv: fields are typed in, a secret is masked on the page and in the file', async () => {
    const fields = [
      { key: 'user', label: 'User', default: 'ada', required: true },
      { key: 'note', label: 'Note', multiline: true },
      { key: 'password', label: 'Password', secret: true, default: 'never-shown' },
    ];
    const card = await ask({ kind: 'kv', message: 'Two\nlines', fields }, 'kv 1');
    expect(await card.getByRole('heading').textContent()).toBe('Something is needed from you');
    const secret = card.getByLabel('Password');
    expect(await secret.getAttribute('type')).toBe('password');
    expect(await secret.inputValue()).toBe('');
    await card.getByLabel('User').fill('   ');
    await card.getByRole('button', { name: 'Send' }).click();
    await card.getByRole('alert').getByText('required').waitFor();
    await card.getByLabel('User').fill('Grace');
    await card.getByLabel('Note').fill('first\nsecond');
    await secret.fill('swordfish');
    await card.getByRole('button', { name: 'Send' }).click();
    const values = { user: 'Grace', note: 'first\nsecond', password: '******' };
    expect(await readResponse('kv 1')).toEqual({ status: 'ok', values });
    expect(await readFile(toPath(), 'utf8')).not.toMatch(/swordfish|never-shown/);
    expect(await page.content()).not.toContain('swordfish');
  });

  it('[SAND-301] choice: one value as a text, several as a list, and no more than are allowed', async () => {
    const options = ['red', 'green', 'blue'].map((value) => ({ value, label: value.toUpperCase() }));
    const one = await ask({ kind: 'choice', title: 'One', options, default: 'green' }, 'choice-1');
    expect(await one.getByLabel('GREEN').isChecked()).toBe(true);
    await one.getByLabel('BLUE').check();
    await one.getByRole('button', { name: 'Send' }).click();
    expect(await readResponse('choice-1')).toEqual({ status: 'ok', selection: 'blue' });
    const some = {
      kind: 'choice',
      title: 'Some',
      multiple: true,
      options,
      default: ['red'],
      minSelections: 1,
      maxSelections: 2,
    };
    const several = await ask(some, 'choice-2');
    await several.getByText('Choose 1 to 2').waitFor();
    await several.getByLabel('GREEN').check();
    await several.getByLabel('BLUE').check();
    await several.getByRole('button', { name: 'Send' }).click();
    await several.getByRole('alert').waitFor();
    await several.getByLabel('GREEN').uncheck();
    await several.getByRole('button', { name: 'Send' }).click();
    expect(await readResponse('choice-2')).toEqual({ status: 'ok', selection: ['red', 'blue'] });
  });

  it('[SAND-302] task_confirm: tasks are worded anew or left out, with a remark', async () => {
    const tasks = [
      { draftId: 'd1', title: 'Write', details: 'the letter', priority: 'high', status: 'todo', tags: ['mail'] },
      { draftId: 'd2', title: 'Send', details: '', priority: 'low', status: 'todo', tags: [] },
    ];
    const card = await ask({ kind: 'task_confirm', tasks, defaultRemark: 'fine' }, 'tasks-1');
    await card.getByText('high · todo · mail').waitFor();
    await card.getByLabel('Task 1').fill('Write at once');
    await card.getByRole('button', { name: 'Remove' }).nth(1).click();
    await card.getByRole('button', { name: 'Confirm' }).click();
    const kept = { ...tasks[0], title: 'Write at once' };
    expect(await readResponse('tasks-1')).toEqual({ status: 'ok', tasks: [kept], remark: 'fine' });
  });

  it('[SAND-303] file_change_confirm: the diff is shown in its colours, and the remark is written; or it is cancelled', async () => {
    const prompt = { kind: 'file_change_confirm', diff: DIFF, path: 'notes.txt', command: 'patch', cwd: '/tmp' };
    const card = await ask(prompt, 'file-1');
    expect(await card.locator('.diff-added').allTextContents()).toEqual(['+new\n']);
    expect(await card.locator('.diff-removed').allTextContents()).toEqual(['-old\n']);
    expect(await card.locator('.diff-file').count()).toBe(2);
    for (const text of ['notes.txt', 'patch', '/tmp']) await card.locator('.facts').getByText(text).waitFor();
    await card.getByLabel('Remark').fill('go on');
    await card.getByRole('button', { name: 'Confirm' }).click();
    expect(await readResponse('file-1')).toEqual({ status: 'ok', remark: 'go on' });
    const other = await ask(prompt, 'file-2');
    await other.getByRole('button', { name: 'Cancel' }).click();
    expect(await readResponse('file-2')).toEqual({ status: 'canceled' });
    const strict = await ask({ ...prompt, allowCancel: false }, 'file-3');
    expect(await strict.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
  });

  it('[SAND-304] result: seen with 知道了; the panel has no serious fault of accessibility, light or dark', async () => {
    const card = await ask({ kind: 'result', markdown: '**done**' }, 'result-1');
    await ask({ kind: 'kv', fields: [{ key: 'a', label: 'A' }] }, 'left-1');
    await ask({ kind: 'choice', options: [{ value: 'a', label: 'A' }] }, 'left-2');
    await ask({ kind: 'task_confirm', tasks: [{ title: 'A' }] }, 'left-3');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await findFaults(page)).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: '中文' }).click();
    expect(await card.getByRole('heading').textContent()).toBe('执行结果');
    await card.getByRole('button', { name: '知道了' }).click();
    expect(await readResponse('result-1')).toEqual({ status: 'ok' });
    await page.getByRole('button', { name: 'English' }).click();
  });

  it('[SAND-305] a line that is no entry is counted, and what another writer left is shown', async () => {
    const raw = {
      ts: 'soon',
      type: 'ui_prompt',
      action: 'request',
      requestId: 'odd',
      runId: 'run-1',
      prompt: { kind: 'poem' },
    };
    await appendFile(toPath(), `not JSON\n${JSON.stringify(raw)}\n`);
    await goTo(page, 'Prompts');
    await page.getByText('1 lines of the log are no entries').waitFor();
    const card = page.locator('article.prompt[data-kind=poem]');
    await card.getByText('A prompt of an unknown kind').waitFor();
    expect(await card.getByRole('button', { name: 'Confirm' }).count()).toBe(0);
  });

  it('[SAND-306] a plugin is called under the contract: yellow, another session meanwhile, one text everywhere', async () => {
    await goTo(page, 'Calls');
    await page.getByLabel('Server').selectOption('plugin');
    await chooseTool(page, 'runner_window_run');
    await page.getByLabel('prompt').fill('count the sheep');
    await page.getByRole('button', { name: 'Call runner_window_run' }).click();
    const card = page.locator('article.call').filter({ hasText: 'runner_window_run' }).first();
    await card.and(page.locator('.call-pending[data-state=pending]')).waitFor();
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByText('No calls in this session yet').waitFor();
    expect(await page.getByRole('button', { name: /^main/ }).locator('.chip-count').textContent()).toBe('1');
    const dataDir = join(sandbox.directory, 'state', 'ui_apps', 'data', 'com.example.runner');
    await mkdir(dataDir, { recursive: true });
    await writeFile(join(dataDir, 'finish'), '');
    await page.locator('.chip-count').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^main/ }).click();
    await card.and(page.locator('[data-state=done]')).waitFor();
    const shown = String(await card.locator('.markdown').textContent()).trim();
    const written = (await readEntries()).find(({ prompt }) => prompt?.markdown?.includes('count the sheep'));
    const { calls } = await sandbox.get<{ calls: { tool: string; outcome: { result: unknown } }[] }>('calls');
    const call = calls.find(({ tool }) => tool === 'runner_window_run');
    expect(call?.outcome.result).toMatchObject({ content: [{ type: 'text', text: written?.prompt?.markdown }] });
    await goTo(page, 'Prompts');
    const prompt = page.locator(`article.prompt[data-request="${written?.requestId}"]`);
    expect(String(await prompt.locator('.markdown').textContent()).trim()).toBe(shown);
    // The result was taken without anybody having looked at the prompt.
    await prompt.and(page.locator('.prompt-open')).waitFor();
  });

  it('[SAND-307] the AsyncTask Test calls the tool of a plugin with its own argument, and prints what happened', async () => {
    await goTo(page, 'MCP Test');
    await page.getByLabel('Tool').selectOption('plugin / runner_window_run');
    await page.getByLabel('Message').fill('count the goats');
    await page.getByRole('button', { name: 'AsyncTask Test' }).click();
    await page.getByText('asyncTask.result').waitFor();
    const lines = await page.locator('.test-lines pre').allTextContents();
    expect(lines.find((line) => line.includes('"prompt": "count the goats"'))).toBeDefined();
    expect(lines.at(-1)).toContain('count the goats');
    for (const name of ['workdir', 'dataDir', 'pluginDir', 'stateDir', 'uiPromptsFile', 'sessionRoot', 'projectRoot'])
      await page.locator('.paths').getByText(name, { exact: true }).waitFor();
    await page.locator('.paths').getByText(PLUGIN, { exact: true }).waitFor();
    await page.locator('.paths').getByText('state/ui_apps/data/com.example.runner').waitFor();
    expect(browser.complaints).toEqual([]);
  });
});
