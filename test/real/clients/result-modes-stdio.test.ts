import { describe, expect, it } from 'vitest';
import { openPipe, type Pipe, type PipeOptions } from '../../spec/open-stdio-2025.ts';

const MODE = 'TASK_RESULT_MODE';
const CLIENTS = 'TASK_RESULT_AUTO_RETRY_CLIENTS';
const MAX_WAIT = 'TASK_RESULT_MAX_WAIT_SEC';
const HELD = { content: [{ text: 'held' }] };

async function openHeld(options: PipeOptions): Promise<Pipe & { taskId: string }> {
  const pipe = await openPipe(options);
  const { taskId } = await pipe.start('hold');
  return { ...pipe, taskId };
}

/** Whether `tasks/result` waits until the task is let go: it has no answer of its own before. */
async function waits(options: PipeOptions): Promise<boolean> {
  const { taskId, ...pipe } = await openHeld(options);
  const answer = pipe.result(taskId);
  await pipe.send('ping');
  await pipe.release();
  const { result } = await answer;
  if (result) expect(result).toMatchObject(HELD);
  return result !== undefined;
}

/** Whether `tasks/result` is refused at once: it is, although nobody lets the task go. */
async function refuses(options: PipeOptions): Promise<boolean> {
  const { taskId, ...pipe } = await openHeld(options);
  const { error } = await pipe.result(taskId);
  await pipe.release();
  return error?.code === -32002;
}

describe('the mode of a server on stdio', () => {
  it.each(['HOLDFAST_', 'MUNINN_MCP_'])('[MODE-13] is read from %s variables', async (prefix) => {
    expect(await refuses({ env: { [prefix + MODE]: 'immediate_retry' } })).toBe(true);
    expect(await waits({ env: { [prefix + MODE]: ' Blocking ' }, name: 'claude-code' })).toBe(true);
  });

  it('[MODE-14] is the option before HOLDFAST_, and that before MUNINN_MCP_', async () => {
    const env = { [`HOLDFAST_${MODE}`]: 'immediate_retry', [`MUNINN_MCP_${MODE}`]: 'blocking' };
    expect(await refuses({ env })).toBe(true);
    expect(await waits({ env, taskResult: { mode: 'blocking' } })).toBe(true);
  });

  it.each([`HOLDFAST_${MODE}`, `MUNINN_MCP_${MODE}`])(
    '[MODE-15] is auto, with one warning, for a wrong %s',
    async (name) => {
      const held = await openHeld({ env: { [name]: 'sometimes' }, name: 'claude-code' });
      expect((await held.result(held.taskId)).error?.code).toBe(-32002);
      expect((await held.result(held.taskId)).error?.code).toBe(-32002);
      const warning = `holdfast: ${name} is "sometimes"; expected auto, blocking, immediate_retry; using auto\n`;
      expect(held.stderr()).toBe(warning);
    },
  );
});

describe('the list of clients of a server on stdio', () => {
  it.each(['HOLDFAST_', 'MUNINN_MCP_'])('[MODE-16] is read from %s variables', async (prefix) => {
    const env = { [prefix + CLIENTS]: ' other , My Host,' };
    expect(await refuses({ env, name: 'my-host' })).toBe(true);
    expect(await waits({ env, name: 'claude-code' })).toBe(true);
  });

  it('[MODE-16] is that of HOLDFAST_ where both are there, and the default where it names nobody', async () => {
    const env = { [`HOLDFAST_${CLIENTS}`]: 'mine', [`MUNINN_MCP_${CLIENTS}`]: 'yours' };
    expect(await refuses({ env, name: 'mine' })).toBe(true);
    expect(await waits({ env, name: 'yours' })).toBe(true);
    expect(await refuses({ env: { [`MUNINN_MCP_${CLIENTS}`]: ' , ' }, name: 'cursor' })).toBe(true);
  });
});

describe('the longest wait of a server on stdio', () => {
  const blocking = { mode: 'blocking' };

  it.each(['HOLDFAST_', 'MUNINN_MCP_'])('[MODE-17] is read from %s variables, in seconds', async (prefix) => {
    const held = await openHeld({ env: { [prefix + MAX_WAIT]: '0.05' }, taskResult: blocking });
    const { error } = await held.result(held.taskId);
    expect(error).toMatchObject({ code: -32002, message: expect.stringContaining('host-safe wait budget') });
  });

  it.each([{ [`MUNINN_MCP_${MAX_WAIT}`]: '0.001' }, { HOLDFAST_HOST_TOOLS_CALL_TIMEOUT_SEC: '1' }])(
    '[MODE-18] [SEC-290] binds a client that waits by its own nature too once it is set: %j',
    async (env) => {
      const held = await openHeld({ env });
      expect((await held.result(held.taskId)).error).toMatchObject({
        code: -32002,
        message: expect.stringContaining('host-safe wait budget'),
      });
      await held.release();
      expect((await held.result(held.taskId, { wait: true })).result).toMatchObject(HELD);
    },
  );

  it('[MODE-18] is none for such a client when nobody set one, or set it to 0', async () => {
    expect(await waits({})).toBe(true);
    expect(await waits({ env: { [`HOLDFAST_${MAX_WAIT}`]: '0' } })).toBe(true);
  });

  it('[MODE-19] falls back to what the host leaves when it is no number, with a warning', async () => {
    const held = await openHeld({ env: { [`MUNINN_MCP_${MAX_WAIT}`]: 'soon' }, taskResult: blocking });
    const answer = held.result(held.taskId);
    await held.release();
    expect((await answer).result).toMatchObject(HELD);
    expect(held.stderr()).toContain(`MUNINN_MCP_${MAX_WAIT} is "soon"; expected a number of seconds`);
  });
});
