/** A model that was restarted, and looks for the call that it made before. */
import { untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openHttp } from '../open-http.ts';
import { openPlain, readAdvice, taskOf, textOf } from '../plain-client.ts';

async function open() {
  const rig = await openHttp();
  const url = await rig.serve({ profiles: { plain: { giveUpMs: 40 }, patient: { giveUpMs: null } } }, (server) => {
    const input = z.object({ user: z.string(), password: z.string(), note: z.string().optional() });
    server.tool('login', { input, redact: ['password'], run: () => 'in' });
  });
  const list = async () => textOf(await (await openPlain(url)).call('task_list'));
  return { rig, url, client: await openPlain(url), list };
}

describe('task_list', () => {
  it('[HOSTS-159] lets a model that was restarted find its call, and tells the call that gets its result', async () => {
    const { rig, url, client, list } = await open();
    const taskId = taskOf(await client.call('wait', { gate: 'north' }))?.taskId ?? '';
    const running = await list();
    expect(running).toMatch(new RegExp(`^${taskId}: wait is still running`));
    expect(running).toMatch(/Called \d+ s ago with \{"gate":"north"\}\. For its result call test_task_wait with/);
    rig.open('north');
    await untilStatus(rig.tasks, taskId, 'completed');
    const { name, args } = readAdvice(running);
    const restarted = await openPlain(url);
    expect(textOf(await restarted.call(name, args))).toBe('waited');
    const ended = await list();
    expect(ended).toMatch(/: wait ended as completed\. Called \d+ s ago with \{"gate":"north"\}\. For its result call/);
    expect(textOf(await restarted.call(name, readAdvice(ended).args))).toBe('waited');
  });

  it('[HOSTS-159] tells which call has a question, and names no call for what was cancelled', async () => {
    const { url, list } = await open();
    const client = await openPlain(url, { name: 'patient' });
    const task_id = taskOf(await client.call('confirm'))?.taskId ?? '';
    const asked = await list();
    expect(asked).toContain("confirm waits for the user's answer. Called");
    expect(asked).toContain(`For its question call test_task_wait with {"task_id":"${task_id}"}.`);
    const { name, args } = readAdvice(asked);
    expect(textOf(await client.call(name, args))).toContain('It asks: Sure?');
    await client.call('task_cancel', { task_id });
    expect(await list()).toMatch(/: confirm ended as cancelled.* Called \d+ s ago with \{\}\.$/);
  });

  it('[HOSTS-160] shows no argument that is kept out of sight, and cuts long ones', async () => {
    const { client, list } = await open();
    await client.call('login', { user: 'ada', password: 'hunter2', note: 'n'.repeat(5000) });
    const listed = await list();
    expect(listed).toContain('{"user":"ada","password":"******","note":"nnn');
    expect(listed).not.toContain('hunter2');
    expect(listed.length).toBeLessThan(500);
  });
});
