import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call, CallUpdate } from 'holdfast/host';
import { describe, expect, it } from 'vitest';
import { openDesk, textOf } from '../open-host.ts';

/** A call of a server whose store fails once in the way of `fault`. */
async function payWith(fault: 'lose-commit' | 'lose-line', tool: 'pay' | 'pay_by_log' = 'pay') {
  const desk = await openDesk();
  const host = await desk.host();
  const callMeta = { asyncTask: { tools: ['pay_by_log'], taskIdKey: 'taskId', resultSource: 'ui_prompts' } };
  await host.connect('shop', { ...desk.command('failing-store-server', desk.dir), callMeta });
  await writeFile(join(desk.dir, fault), '');
  return { desk, call: await host.call('shop', tool) };
}

async function reasonsOf(call: Call): Promise<string[]> {
  const updates: CallUpdate[] = [];
  for await (const update of call.updates()) updates.push(update);
  return updates.flatMap((update) => (update.type === 'unreachable' ? [update.reason] : []));
}

describe('a server that cannot use its store', () => {
  it.each(['pay', 'pay_by_log'] as const)(
    '[BAD-378] has not refused a call of %s whose task it may have written: it is asked again, and runs once',
    async (tool) => {
      const { desk, call } = await payWith('lose-commit', tool);
      const reasons = reasonsOf(call);
      expect(textOf(await call.outcome())).toBe('paid');
      expect(desk.notes()).toEqual(['paid']);
      expect(await reasons).toEqual([expect.stringContaining('the disk failed')]);
    },
  );

  it('[BAD-378] has not refused a call that may have arrived before, whatever is wrong with the store', async () => {
    const { desk, call } = await payWith('lose-line');
    const reasons = reasonsOf(call);
    expect(textOf(await call.outcome())).toMatch(/paid|interrupted/i);
    expect(desk.notes().length).toBeLessThanOrEqual(1);
    expect((await reasons).join()).toContain('the store was moved away');
  });

  it('[BAD-379] has answered a call whose task ended with the trouble of a store: it is not asked for ever', async () => {
    const desk = await openDesk();
    const host = await desk.host();
    await host.connect('shop', desk.command('failing-store-server', desk.dir));
    const outcome = await (await host.call('shop', 'fail')).outcome();
    expect(outcome).toMatchObject({
      kind: 'error',
      error: { data: { code: 'STORE_FAILED', taskId: expect.any(String) } },
    });
  });

  it.each([
    ['count', 'counted'],
    ['print', 'printed'],
  ])('[BAD-380] lets a tool wait with its step or its program until the store takes it: %s', async (tool, said) => {
    const desk = await openDesk();
    const host = await desk.host();
    await host.connect('shop', desk.command('failing-store-server', desk.dir));
    await writeFile(join(desk.dir, 'lose-steps'), '');
    const call = await host.call('shop', tool);
    await desk.untilNoted('refused');
    await rm(join(desk.dir, 'lose-steps'));
    expect(textOf(await call.outcome())).toBe(said);
  });
});
