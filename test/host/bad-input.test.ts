import { createHost } from 'holdfast/host';
import { describe, expect, it } from 'vitest';
import { openDesk } from './open-host.ts';

const CIRCLE: Record<string, unknown> = {};
CIRCLE.self = CIRCLE;

describe('bad input', () => {
  it.each([
    ['ledger', 7],
    ['ledger', ''],
    ['client', { name: 'x' }],
    ['client', 'x'],
    ['onQuestion', 'ask'],
    ['capabilities', ['roots']],
    ['capabilities', { tasks: {} }],
    ['capabilities', { roots: {} }],
    ['connectMs', -1],
    ['connectMs', '5'],
    ['keepMs', 1.5],
    ['onError', {}],
    ['clock', {}],
  ])('[HOST-36] of createHost is named: %s %j', async (field, value) => {
    await expect(createHost({ [field]: value } as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(field),
    });
  });

  it('[HOST-36] an option that does not exist is named', async () => {
    await expect(createHost({ leger: 'x' } as never)).rejects.toMatchObject({
      message: expect.stringContaining('leger'),
    });
  });

  it.each([
    ['command', { command: '' }],
    ['command', { command: 7 }],
    ['args', { command: 'x', args: 'y' }],
    ['args', { command: 'x', args: [1] }],
    ['env', { command: 'x', env: { A: 1 } }],
    ['cwd', { command: 'x', cwd: 7 }],
    ['stderr', { command: 'x', stderr: 'pipe' }],
    ['url', { url: 'ftp://x' }],
    ['url', { url: 'nowhere' }],
    ['headers', { url: 'http://x', headers: { a: 1 } }],
    ['fetch', { url: 'http://x', fetch: 1 }],
    ['transport', { transport: {} }],
    ['exactly one', {}],
    ['exactly one', null],
    ['exactly one', { command: 'x', url: 'http://x' }],
    ['comand', { command: 'x', comand: 'y' }],
  ])('[HOST-36] of a server is named: %s %j', async (field, spec) => {
    const desk = await openDesk();
    const host = await desk.host();
    await expect(host.connect('s', spec as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(field),
    });
  });

  it.each([
    ['tool', ['', {}, {}]],
    ['tool', [7, {}, {}]],
    ['args', ['sync', [], {}]],
    ['args', ['sync', 'x', {}]],
    ['args', ['sync', CIRCLE, {}]],
    ['args', ['sync', { big: 1n }, {}]],
    ['options', ['sync', {}, 'now']],
    ['options', ['sync', {}, { sesionId: 'x' }]],
    ['signal', ['sync', {}, { signal: {} }]],
    ['sessionId', ['sync', {}, { sessionId: 7 }]],
    ['maxWaitMs', ['sync', {}, { maxWaitMs: -1 }]],
    ['maxWaitMs', ['sync', {}, { maxWaitMs: Number.NaN }]],
    ['meta', ['sync', {}, { meta: 'x' }]],
    ['ack', ['sync', {}, { ack: 'later' }]],
  ])('[HOST-36] of a call is named, and nothing is written: %s', async (field, args) => {
    const desk = await openDesk();
    const host = await desk.host();
    await host.connect('jobs', desk.command('host-job-server', desk.dir));
    await expect(host.call('jobs', ...(args as [never, never, never]))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(field),
    });
    expect(await host.calls()).toEqual([]);
  });

  it('[HOST-36] names that are taken, and servers that are not there, are told', async () => {
    const desk = await openDesk();
    const host = await desk.host();
    const spec = desk.command('host-job-server', desk.dir);
    await host.connect('jobs', spec);
    await expect(host.connect('jobs', spec)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(host.call('reports', 'render')).rejects.toMatchObject({
      code: 'SERVER_NOT_FOUND',
      message: expect.stringContaining('jobs'),
    });
  });
});
