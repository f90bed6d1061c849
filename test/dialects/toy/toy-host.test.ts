import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dialect, HostDialect } from 'holdfast/dialects';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../../crash/judge.ts';
import { openDesk, textOf } from '../../host/open-host.ts';
import { toyHost } from './toy-host.js';

const TOY: Dialect = { name: 'toy', host: async () => toyHost };

describe('a dialect of a user’s own', () => {
  it('[ROOMS-121] brings back a call whose host was killed in the middle, exactly once', async () => {
    const desk = await openDesk();
    const first = startProgram('host-of-toy', [desk.dir, 'a']);
    const observer = await desk.host();
    const hasHandle = async () => (await observer.calls()).some(({ handle }) => handle?.dialect === 'toy');
    await until(hasHandle, { what: 'the ticket in the ledger', timeoutMs: 30_000 });
    first.child.kill('SIGKILL');
    expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
    expect(desk.notes('delivered.txt')).toEqual([]);
    await observer.close();

    await desk.open('a');
    expect(await startProgram('host-of-toy', [desk.dir, 'a']).ended).toMatchObject({ code: 0, stderr: '' });
    const [delivered, ...others] = desk.notes('delivered.txt');
    expect(JSON.parse(delivered ?? '')).toMatchObject({ kind: 'result', result: { content: [{ text: 'a is open' }] } });
    expect(others).toEqual([]);
    expect(desk.notes()).toEqual(['a']);
    expect(await (await desk.host({ dialects: [TOY] })).resume()).toEqual([]);
  });

  it('[ROOMS-121] needs one short file', async () => {
    const text = await readFile(join(import.meta.dirname, 'toy-host.js'), 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  });

  it('[ROOMS-122] is asked before the built-in ones, for the request and for the answer', async () => {
    const desk = await openDesk();
    const seen: unknown[] = [];
    const mine: HostDialect = {
      ...toyHost,
      name: 'mine',
      read({ result, listed, server }) {
        seen.push([listed?.name, server.era, server.isStdio]);
        return 'data' in result ? { dialect: 'mine', kept: 'all' } : undefined;
      },
      follow: async ({ kept }) => ({ kind: 'result', result: { content: [], kept: kept ?? null }, isError: false }),
    };
    const host = await desk.host({ dialects: [{ name: 'mine', host: async () => mine }] });
    await host.connect('jobs', desk.command('host-job-server', desk.dir));
    const call = await host.call('jobs', 'sync', { form: 'bare', gate: 'never' });
    expect(await call.outcome()).toEqual({ kind: 'result', result: { content: [], kept: 'all' }, isError: false });
    expect(seen).toEqual([['sync', 'legacy', true]]);
  });

  it('[ROOMS-122] leaves answers that are not its own to the others', async () => {
    const desk = await openDesk();
    const host = await desk.host({ dialects: [TOY] });
    await host.connect('jobs', desk.command('host-job-server', desk.dir));
    const call = await host.call('jobs', 'sync');
    expect(textOf(await call.outcome())).toContain('files_processed');
    expect((await host.calls())[0]?.handle).toMatchObject({ dialect: 'job' });
  });

  it('[ROOMS-123] is named when a call of the ledger needs it and the host does not have it', async () => {
    const desk = await openDesk();
    const first = await desk.host({ dialects: [TOY] });
    await first.connect('toy', desk.command('toy-server', desk.dir));
    await (await first.call('toy', 'wait', { gate: 'b' })).sent();
    await first.close();
    const second = await desk.host();
    await second.connect('toy', desk.command('toy-server', desk.dir));
    const [call] = await second.resume();
    expect(await call?.outcome()).toMatchObject({
      kind: 'error',
      error: { code: 'INVALID_ARGUMENT', message: expect.stringContaining('"toy"; known are ') },
    });
  });

  it.each([
    ['dialects is {}', {}],
    ['dialects is [ {} ]', [{}]],
    ["dialects is [ { name: '' } ]", [{ name: '' }]],
    ["dialects is [ { name: 'a', host: 1 } ]", [{ name: 'a', host: 1 }]],
  ])('[ROOMS-123] that is none is named: %s', async (message, dialects) => {
    const desk = await openDesk();
    await expect(desk.host({ dialects: dialects as unknown as Dialect[] })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: `${message}; expected a list of dialects, each with a name`,
    });
  });
});
