import { describe, expect, it } from 'vitest';
import { followJob } from '../../../src/dialects/job/host-follow.ts';
import { type JobHandle, readJob } from '../../../src/dialects/job/host-half.ts';
import { createFakePort, error, result } from '../fake-port.ts';

const HANDLE: JobHandle = { dialect: 'job', jobId: 'j', canWait: false };
const STAGE_1 = {
  success: true,
  data: { job_id: 'j', estimated_runtime_seconds: 4.5, status: 'queued' },
  messages: [],
};
const PLAIN = { canWait: false, isAsync: false };

describe('a two-stage job', () => {
  it('[HOST-05] is known by its id and its estimate, or by its id and the listing of its tool', () => {
    expect(readJob(STAGE_1, PLAIN)).toEqual({ dialect: 'job', jobId: 'j', canWait: false, estimateMs: 4500 });
    const bare = { success: true, data: { job_id: 'j' }, messages: [] };
    expect(readJob(bare, PLAIN)).toBeUndefined();
    expect(readJob(bare, { ...PLAIN, isAsync: true })).toEqual(HANDLE);
    expect(readJob({ content: [{ type: 'text', text: '{"success":' }] }, PLAIN)).toBeUndefined();
    expect(readJob({ ...STAGE_1, data: { ...STAGE_1.data, job_id: 7 } }, PLAIN)).toBeUndefined();
  });

  it('[HOST-05] hears only what is told of itself, and costs no request', async () => {
    const port = createFakePort(() => error(-32601));
    const following = followJob(HANDLE, port);
    port.tell({ method: 'notifications/progress', params: { job_id: 'other', progress: 0.9 } });
    port.tell({
      method: 'notifications/progress',
      params: { job_id: 'j', progress: 0.5, estimated_remaining_seconds: 2 },
    });
    await port.pass(300_000);
    port.tell({ method: 'notifications/tool_result', params: { job_id: 'other', result: { success: true } } });
    port.tell({
      method: 'notifications/tool_result',
      params: { job_id: 'j', result: { success: false, messages: [] } },
    });
    expect(await following).toEqual({ kind: 'error', error: { code: 'JOB_FAILED', message: 'the job failed' } });
    expect(port.updates).toEqual([{ type: 'progress', value: 0.5, total: 1, remainingMs: 2000 }]);
    expect(port.sent).toEqual([]);
  });

  it('[HOST-07] is interrupted by a new connection, unless its server can be asked', async () => {
    const cut = createFakePort(() => error(-32601));
    const lost = followJob(HANDLE, cut);
    cut.reconnect();
    expect(await lost).toMatchObject({ kind: 'interrupted' });

    const replies = [error(-32603), result({ content: [], _meta: { 'holdfast/task': {} } }), result({ content: [] })];
    const port = createFakePort(() => replies.shift() ?? error(-32603));
    const following = followJob({ ...HANDLE, canWait: true }, port);
    port.reconnect();
    await port.pass(300_000);
    expect(await following).toEqual({ kind: 'result', result: { content: [] }, isError: false });
  });
});
