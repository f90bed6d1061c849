/** A gateway before a server over HTTP, with sessions. */
import { describe, expect, it } from 'vitest';
import { begin, finish } from '../../e2e/raw-task.ts';
import { openForeign } from '../../host/servers/open-foreign.ts';
import { openMirror } from '../mirror/open-mirror.ts';

describe('a gateway before a server over HTTP', () => {
  it('[GATE-208] makes tasks of its plain calls, and passes its own tasks on in the era of the client', async () => {
    const { desk, url } = await openForeign();
    const mirror = await openMirror({ upstream: { url }, inlineMs: 0 });
    const client = await mirror.client('modern');
    const [plain, task] = [await begin(client, 'hold', { gate: 'a' }), await begin(client, 'long', { gate: 'b' })];
    await desk.untilNoted('hold a 1');
    await desk.untilNoted('long b 1');
    await desk.open('a');
    await desk.open('b');
    expect(await finish(client, plain)).toEqual({ text: 'a is open' });
    expect(await finish(client, task)).toEqual({ text: 'b is done' });
  });
});
