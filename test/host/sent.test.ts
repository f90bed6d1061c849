import { expect, it } from 'vitest';
import { openDesk, textOf } from './open-host.ts';

const callMeta = { asyncTask: { tools: ['app_run'], pollIntervalMs: 200 } };

it('[CLI-20] a call says when its server has it: the handle is on disk, and whoever comes later goes on', async () => {
  const desk = await openDesk();
  const spec = { ...desk.command('host-ui-app', desk.dir), callMeta };
  const first = await desk.host();
  await first.connect('app', spec);
  const call = await first.call('app', 'App_Run', { gate: 'a' });
  await call.sent();
  expect((await first.calls())[0]).toMatchObject({ handle: { dialect: 'ui-prompts', isAcked: true } });
  expect(desk.notes()).toContain('ran a with gate and stream false');
  const second = await desk.host();
  await second.connect('app', spec);
  const [seen] = await second.resume();
  await seen?.sent();
  await desk.open('a');
  expect(textOf(await call.outcome())).toBe('# a is open');
  const [ended] = await second.resume();
  await ended?.sent();
});

it('[CLI-20] a call that is answered at once, or that fails, is sent too', async () => {
  const desk = await openDesk();
  const host = await desk.host();
  await host.connect('app', desk.command('host-ui-app', desk.dir));
  const plain = await host.call('app', 'greet');
  await plain.sent();
  expect((await host.calls())[0]?.outcome).toMatchObject({ kind: 'result' });
  const failed = await host.call('app', 'App_Run');
  await failed.sent();
  expect(await failed.outcome()).toMatchObject({ kind: 'error' });
});
