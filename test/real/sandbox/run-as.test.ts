/** The same call as other clients make it, on the page and behind it. */
import { until } from 'holdfast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunView } from '../../../src/sandbox/run-as/run-view.ts';
import { browserPath, chooseTool, goTo, startBrowser } from '../../sandbox/open-page.ts';
import { clearSandbox, type RunningSandbox, startSandbox } from '../../sandbox/open-sandbox.ts';

const LONG_MS = 120_000;

describe('a call as another client makes it', { timeout: 300_000 }, () => {
  let sandbox: RunningSandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
  }, LONG_MS);
  afterAll(() => clearSandbox(sandbox));

  const start = async (body: object) => (await sandbox.post<{ run: RunView }>('run-as', body)).run;
  const read = async (runId: string) => (await sandbox.get<{ run: RunView }>(`run-as/${runId}`)).run;
  const whenEnded = ({ runId }: RunView) =>
    until(
      async () => {
        const run = await read(runId);
        return run.state === 'ended' && run;
      },
      { what: 'the end of the run', timeoutMs: LONG_MS },
    );
  const messages = (run: RunView) => run.steps.filter((step) => step.kind === 'message');
  const sent = (run: RunView, method: string) =>
    messages(run)
      .filter(({ direction, label }) => direction === 'out' && label === method)
      .map(({ text }) => JSON.parse(text) as { params: Record<string, unknown> });

  it('[SAND-210] clients of both eras connect as themselves, and what they see is what went over the wire', async () => {
    const args = { ms: 13_000, note: 'as somebody else' };
    // At 5 times the speed it takes 65 s, beyond the patience of the first alone. Faster clocks leave a busy machine too little time.
    const names = ['Claude Desktop', 'Claude Code, interactive', 'VS Code', 'WKS, two-stage jobs'];
    const runs = await Promise.all(names.map((client) => start({ client, tool: 'sleep', args, speed: 5 })));
    const [desktop, code, vscode, wks] = (await Promise.all(runs.map(whenEnded))) as [
      RunView,
      RunView,
      RunView,
      RunView,
    ];
    for (const run of [desktop, code, vscode, wks]) {
      expect(run, run.client).toMatchObject({ end: 'result' });
      expect(run.text).toContain('as somebody else');
    }
    expect(sent(desktop, 'initialize')[0]?.params).toMatchObject({ clientInfo: { name: 'claude-ai' } });
    expect(desktop.steps.find(({ kind }) => kind === 'handed-over')).toMatchObject({ as: 'words' });
    const words = desktop.steps.find((step) => step.kind === 'read');
    expect(words).toMatchObject({ isFinal: false, text: expect.stringContaining('task_wait with {"task_id"') });
    // What the model was told to do is what the client then did.
    const [first, second] = sent(desktop, 'tools/call');
    expect(first?.params).toMatchObject({ name: 'sleep', arguments: args });
    expect(words?.kind === 'read' && words.text).toContain(String(second?.params.name));
    expect(sent(code, 'initialize')).toEqual([]);
    expect(sent(code, 'server/discover')[0]?.params).toMatchObject({
      _meta: { 'io.modelcontextprotocol/clientInfo': { name: 'claude-code' } },
    });
    expect(sent(code, 'tasks/get').length).toBeGreaterThan(0);
    expect(sent(vscode, 'tools/call')[0]?.params).toMatchObject({ task: {} });
    expect(sent(vscode, 'tasks/result')).toHaveLength(1);
    expect(messages(wks).some(({ label }) => label === 'notifications/tool_result')).toBe(true);
    const { tasks } = await sandbox.get<{ tasks: { tool: string }[] }>('tasks');
    expect(
      tasks.filter(({ tool }) => tool === 'sleep'),
      'each run is one call',
    ).toHaveLength(4);
  });

  it('[SAND-211] a question goes the way of the client: as a form of its host, or through the words of its model', async () => {
    for (const client of ['Claude Desktop', 'VS Code']) {
      const run = await start({ client, tool: 'confirm_delete', args: { filename: 'x.txt' }, speed: 5 });
      const { questions } = await until(
        async () => {
          const now = await read(run.runId);
          expect(now.text, `the end of ${client}`).toBeUndefined();
          return now.questions.length > 0 && now;
        },
        { what: 'the question', timeoutMs: LONG_MS },
      );
      expect(questions).toMatchObject([{ message: 'Delete x.txt?', schema: { required: ['confirm'] } }]);
      await sandbox.post(`run-as/${run.runId}/answer`, {
        key: questions[0]?.key,
        action: 'accept',
        content: { confirm: true },
      });
      expect((await whenEnded(run)).text).toBe('x.txt would be gone now');
    }
  });

  it('[SAND-212] a run is stopped, and what cannot be run is refused with a reason', async () => {
    const run = await start({ client: 'Codex, `exec`', tool: 'sleep', args: { ms: 60_000 }, speed: 1 });
    await until(async () => sent(await read(run.runId), 'tools/call').length > 0, {
      what: 'the call',
      timeoutMs: LONG_MS,
    });
    await sandbox.post(`run-as/${run.runId}/stop`);
    const ended = await whenEnded(run);
    expect(ended.end).toBe('stopped');
    expect(sent(ended, 'notifications/cancelled')[0]?.params).toMatchObject({ reason: 'MCP response future dropped' });
    const refused = async (body: object) => (await sandbox.post<{ error: { message: string } }>('run-as', body)).error;
    expect((await refused({ client: 'nobody', tool: 'sleep' })).message).toContain('expected one of');
    expect((await refused({ client: 'Cline', tool: 'sleep', speed: 0 })).message).toContain('expected 1 to 100');
    expect((await refused({ client: 'Cline', tool: 'sleep', args: [] })).message).toContain('args');
  });

  it.skipIf(browserPath === undefined)(
    '[SAND-213] the page shows a run message by message, and what the model reads',
    async () => {
      const browser = await startBrowser();
      try {
        const page = await browser.open(sandbox.url);
        await goTo(page, 'Run as');
        await page.getByLabel('Client', { exact: true }).selectOption('Claude Desktop');
        await page.getByLabel('Speed of its clock').selectOption('5');
        await page
          .locator('label.tool')
          .filter({ hasText: /^sleep$/ })
          .click();
        await page.getByLabel('ms').fill('300');
        await page.getByRole('button', { name: 'Run as sleep' }).click();
        const card = page.locator('article[data-run]').first();
        await card.getByText('"ms":300').first().waitFor();
        await page.locator('article[data-end=result]').filter({ hasText: '"ms":300' }).waitFor({ timeout: LONG_MS });
        await card.locator('[data-wire=initialize]').click();
        expect(await card.locator('[data-wire=initialize] pre').textContent()).toContain('"claude-ai"');
        expect(await card.locator('[data-final=true]').textContent()).toContain('slept 300 ms');
        // Of the run that was handed over before.
        const before = page.locator('article[data-run]').filter({ hasText: 'as somebody else' });
        const words = before.locator('[data-final=false]').first();
        expect(await words.textContent()).toContain('This is not the result and nothing went wrong');
        // The same from a call that was made on the page.
        await goTo(page, 'Calls');
        await chooseTool(page, 'sleep');
        await page.getByRole('button', { name: 'Call sleep' }).click();
        await page.locator('article.call').first().getByRole('button', { name: 'Run as…' }).click();
        await page.getByRole('button', { name: 'Run as sleep' }).waitFor();
        expect(browser.complaints).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );

  it.skipIf(browserPath === undefined)(
    '[SAND-214] the raw messages of a call are on its card and with its task',
    async () => {
      const browser = await startBrowser();
      try {
        const page = await browser.open(sandbox.url);
        await chooseTool(page, 'sleep');
        await page.getByLabel('ms').fill('1500');
        await page.getByRole('button', { name: 'Call sleep' }).click();
        const card = page.locator('article.call').filter({ hasText: '"ms":1500' }).first();
        await card.getByText('Messages on the wire').click();
        await card.locator('[data-wire="tools/call"]').click();
        expect(await card.locator('[data-wire="tools/call"] pre').textContent()).toContain('"ms": 1500');
        await card.locator('[data-wire^="result"], [data-wire="notifications/tasks"]').first().waitFor();
        await card.and(page.locator('[data-state=done]')).waitFor();
        await card.getByRole('link', { name: 'Open task' }).click();
        await page.locator('.detail').getByText('Messages on the wire').click();
        await page.locator('.detail [data-wire="tools/call"]').waitFor();
        expect(browser.complaints).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );
});
