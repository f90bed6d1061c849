import { describe, expect, it } from 'vitest';
import { shareRig } from '../shared-rig.ts';
import { openPipe, openRawPipe } from './open-stdio-2025.ts';

const INFO = { capabilities: {}, clientInfo: { name: 'raw', version: '1' } };

/** A server that has shaken hands and has no task: for what changes nothing. */
const getPipe = shareRig((atEnd) => openPipe({ atEnd }));

describe('the frames of a server on stdio', () => {
  it('[MODE-26] are lines of JSON; a header of another framing is refused, and the next line is served', async () => {
    const pipe = getPipe();
    pipe.write('Content-Length: nope\r\n\r\n');
    const refused = await pipe.until(({ error }) => error !== undefined, 'the refusal');
    expect(refused).toMatchObject({ id: null, error: { code: -32700 } });
    expect((await pipe.send('ping')).result).toEqual({});
    for (const line of pipe.messages) expect(line).toHaveProperty('jsonrpc', '2.0');
  });

  it('[MODE-27] may be nonsense: what is no object is refused, and the next line is served', async () => {
    const pipe = getPipe();
    const before = pipe.messages.length;
    pipe.write('{"jsonrpc":\n[1]\n7\n');
    expect((await pipe.send('ping')).result).toEqual({});
    expect(pipe.messages.slice(before).filter(({ error }) => error).length).toBeGreaterThan(0);
  });
});

describe('the handshake on stdio', () => {
  it.each(['2025-11-25', '2025-06-18', '2024-11-05'])('[MODE-28] keeps to version %s', async (protocolVersion) => {
    expect((await openPipe({ protocolVersion })).welcome).toMatchObject({ protocolVersion });
  });

  it('[MODE-29] offers a version it knows for one that it does not', async () => {
    const { welcome } = await openPipe({ protocolVersion: '1999-01-01' });
    expect(welcome.protocolVersion).toBe('2025-11-25');
  });

  it.each([[[]], ['text'], [7], [undefined]])(
    '[MODE-30] is refused without parameters that are an object: %j',
    async (params) => {
      const pipe = await openRawPipe();
      const { error } = await pipe.send('initialize', params);
      expect(error).toBeDefined();
      expect([-32600, -32602]).toContain(error?.code);
      const again = await pipe.send('initialize', { ...INFO, protocolVersion: '2025-11-25' });
      expect(again.result).toMatchObject({ protocolVersion: '2025-11-25' });
    },
  );

  it('[MODE-31] takes an empty elicitation capability as forms, and asks pages only where they are declared', async () => {
    const forms = await openPipe({ capabilities: { elicitation: {} } });
    await forms.start('visit');
    await forms.start('sure');
    const asked = await forms.until(({ method }) => method === 'elicitation/create', 'the question');
    expect(asked.params?.mode).toBe('form');
    const both = await openPipe({ capabilities: { elicitation: { form: {}, url: {} } } });
    await both.start('visit');
    const page = await both.until(({ method }) => method === 'elicitation/create', 'the question');
    expect(page.params).toMatchObject({ mode: 'url', url: 'https://example.com/sign-in' });
  });
});

describe('before the handshake on stdio', () => {
  it('[MODE-41] requests are served as those of a client that said nothing of itself, and the handshake still works', async () => {
    const pipe = await openRawPipe();
    expect((await pipe.send('tasks/list', {})).result).toEqual({ tasks: [] });
    const created = await pipe.send('tools/call', { name: 'quick', arguments: {}, task: {} });
    const taskId = (created.result?.task as { taskId: string } | undefined)?.taskId;
    expect((await pipe.send('tasks/result', { taskId })).result).toMatchObject({ content: [{ text: 'done' }] });
    const { result } = await pipe.send('initialize', { ...INFO, protocolVersion: '2025-11-25' });
    expect(result).toMatchObject({ protocolVersion: '2025-11-25' });
    expect((await pipe.send('ping')).result).toEqual({});
  });
});

describe('requests on stdio', () => {
  it('[MODE-32] of unknown methods are -32601, and unknown notifications are ignored', async () => {
    const pipe = getPipe();
    const before = pipe.messages.length;
    pipe.post({ method: 'notifications/nothing', params: {} });
    expect((await pipe.send('nothing/here')).error?.code).toBe(-32601);
    expect(pipe.messages).toHaveLength(before + 1);
  });

  it('[MODE-33] are answered while tasks/result waits, however many of those there are', async () => {
    const pipe = await openPipe();
    const { taskId } = await pipe.start('hold');
    const waiting = Array.from({ length: 100 }, () => pipe.result(taskId));
    expect((await pipe.send('ping')).result).toEqual({});
    expect((await pipe.send('tasks/get', { taskId })).result).toMatchObject({ status: 'working' });
    await pipe.release();
    for (const { result } of await Promise.all(waiting)) expect(result).toMatchObject({ content: [{ text: 'held' }] });
  });

  it('[MODE-34] list tools with their schemas and annotations', async () => {
    const { result } = await getPipe().send('tools/list');
    const quick = (result?.tools as { name: string }[] | undefined)?.find(({ name }) => name === 'quick');
    expect(quick).toMatchObject({
      title: 'Quick',
      annotations: { readOnlyHint: true },
      inputSchema: { type: 'object' },
      execution: { taskSupport: 'optional' },
    });
  });

  it.each([{}, { name: '' }, { name: 7 }, { name: 'quick', arguments: [] }, { name: 'quick', task: 7 }])(
    '[MODE-35] of tools with wrong parameters are -32602: %j',
    async (params) => {
      const pipe = getPipe();
      expect((await pipe.send('tools/call', params)).error?.code).toBe(-32602);
      expect((await pipe.send('tasks/list')).result).toEqual({ tasks: [] });
    },
  );
});
