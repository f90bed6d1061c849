/** The checklist of the file-log contract, for an app of ours and for one written from its description alone. */
import { until } from 'holdfast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPromptLog } from '../../../src/dialects/ui-prompts/log/log-writer.ts';
import { toResultText } from '../../../src/dialects/ui-prompts/wire.ts';
import { textOf } from '../../host/open-host.ts';
import { openPromptApp, type PromptApp } from './open-prompt-app.ts';

const APPS = [
  { title: 'a Holdfast app', program: 'prompts-server', text: (gate: string) => `${gate} is open` },
  { title: 'an app written from the seed', program: 'seed-app', text: (gate: string) => `# ${gate}\n\n完成 😊` },
];

describe.each(APPS)('$title', ({ program, text }) => {
  let app: PromptApp;

  beforeAll(async () => {
    app = await openPromptApp(program);
  });

  afterAll(() => app.close());

  it('[UIP-43] seed 000, point 1: refuses a call without a task id', async () => {
    await app.connectBare();
    const call = await app.host.call('bare', 'app_run', { gate: 'none' });
    const error = { code: -32602, message: expect.stringContaining('taskId is required in _meta') };
    expect(await call.outcome()).toMatchObject({ kind: 'error', error });
    expect((await app.notes()).join()).not.toContain('none');
  });

  it('[UIP-43] seed 000, point 2: a call with a task id stays pending when it is acknowledged', async () => {
    const call = await app.call('pending');
    const [record] = (await app.host.calls()).filter(({ callId }) => callId === call.callId);
    expect(record).toMatchObject({ handle: { isAcked: true, taskId: call.callId } });
    expect(record?.outcome).toBeUndefined();
    await app.open('pending');
    expect(textOf(await call.outcome())).toBe(text('pending'));
  });

  it('[UIP-43] seed 000, point 3: the result is the text of the entry', async () => {
    // The description lets an app choose; ours writes markdown.
    for (const field of program === 'seed-app' ? ['markdown', 'result', 'content'] : ['markdown']) {
      const call = await app.call(`in-${field}`, { args: program === 'seed-app' ? { field } : {} });
      await app.open(`in-${field}`);
      const output = textOf(await call.outcome());
      const entries = await app.entries(call.callId);
      expect(entries.map(({ prompt }) => prompt[field])).toEqual([output]);
      expect(output).toBe(text(`in-${field}`));
    }
  });

  it('[UIP-43] seed 000, point 4: the panel of prompts shows the same output', async () => {
    const call = await app.call('panel');
    await app.open('panel');
    const output = textOf(await call.outcome());
    const panel = createPromptLog({ path: app.log });
    const shown = (await panel.pending()).filter(({ requestId }) => requestId === call.callId);
    expect(shown.map(({ prompt }) => toResultText(prompt))).toEqual([output]);
    // Nobody has to click for the call to end, and clicking changes nothing.
    expect(await panel.respond(call.callId, { status: 'ok' })).toBe(true);
    expect((await panel.pending()).map(({ requestId }) => requestId)).not.toContain(call.callId);
    expect(textOf(await call.outcome())).toBe(output);
  });

  it('[UIP-43] seed 000, point 5: switching and closing sessions does not stop completion', async () => {
    const first = await app.call('s1', { sessionId: 'one' });
    const second = await app.call('s2', { sessionId: 'two' });
    first.detach();
    await expect(first.outcome()).rejects.toMatchObject({ code: 'DETACHED' });
    await app.open('s1');
    await app.open('s2');
    expect(textOf(await second.outcome())).toBe(text('s2'));
    const [again, ...more] = await app.host.resume({ sessionId: 'one' });
    expect([again?.callId, more]).toEqual([first.callId, []]);
    expect(again && textOf(await again.outcome())).toBe(text('s1'));
  });
});

describe('an abort', () => {
  it('[UIP-38] reaches the work of a Holdfast app after the acknowledgement, although it lists no tool for it', async () => {
    const app = await openPromptApp('prompts-server');
    try {
      const stop = new AbortController();
      const call = await app.call('aborted', { signal: stop.signal });
      await app.untilNoted('ran aborted');
      stop.abort(new Error('enough'));
      expect(await call.outcome()).toEqual({ kind: 'cancelled', reason: 'enough' });
      const panel = createPromptLog({ path: app.log });
      const [told] = await until(async () => [await panel.pending()].find(({ length }) => length > 0), {
        what: 'a prompt',
      });
      expect(told).toMatchObject({ requestId: call.callId, prompt: { resultStatus: 'aborted' } });
    } finally {
      await app.close();
    }
  });
});
