/** Everything of an app is killed while it works: its restart tells how it ended, once. */
import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { openPromptApp } from '../e2e/ui-prompts/open-prompt-app.ts';
import { textOf } from '../host/open-host.ts';

it('[UIP-34] after kill -9 of server and worker the restarted app tells that the work was interrupted, or does it again', async () => {
  const app = await openPromptApp('prompts-server');
  try {
    const once = await app.call('once');
    const again = await app.call('again', { tool: 'app_again' });
    await app.untilNoted('ran once');
    await app.untilNoted('ran again');
    app.kill();
    await app.open('again');
    // Whatever needs the app next starts it again; by several servers at once, which all look for what was left.
    await app.connectBare();
    const plain = await app.host.call('app', 'plain', { gate: 'none' });
    expect(textOf(await plain.outcome())).toBe('plain answer');
    const interrupted = await once.outcome();
    expect(interrupted).toMatchObject({ kind: 'result', isError: true });
    expect(textOf(interrupted)).toMatch(/^Interrupted: /);
    expect(textOf(await again.outcome())).toBe('again is open');
    await until(async () => (await app.notes()).filter((line) => line === 'ran again').length === 2);
    expect((await app.notes()).filter((line) => line === 'ran once')).toHaveLength(1);
    for (const { callId } of [once, again]) expect(await app.entries(callId)).toHaveLength(1);
  } finally {
    await app.close();
  }
});
