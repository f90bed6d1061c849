import { readFile } from 'node:fs/promises';
import { aesGcmCodec, type Tool } from 'holdfast';
import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { createGate, openLightRig, storeKinds, untilAborted } from './open-rig.ts';
import { openSite } from './workers/start-program.ts';

type Args = { readonly queue: string; readonly n: number };

/** A tool that notes who is inside, and waits there for a gate. */
function createLine(over: Partial<Tool<Args>> = {}) {
  const gate = createGate();
  const began: number[] = [];
  const inside = new Map<string, number>();
  let most = 0;
  const tool: Tool<Args> = {
    queue: ({ queue }) => queue,
    async run({ queue, n }) {
      began.push(n);
      inside.set(queue, (inside.get(queue) ?? 0) + 1);
      most = Math.max(most, ...inside.values());
      await gate.opened;
      inside.set(queue, (inside.get(queue) ?? 0) - 1);
      return n;
    },
    ...over,
  };
  return { tool, gate, began, most: () => most };
}

describe.each(storeKinds)('a queue on the %s store', (kind) => {
  it('[ROOMS-171] runs its calls one after the other in the order of submission, and other queues beside it', async () => {
    const rig = await openLightRig(kind);
    const line = createLine();
    const engine = await rig.engine({ line: line.tool }, { concurrency: 8 });
    const ids: string[] = [];
    for (const n of [1, 2, 3, 4, 5]) ids.push((await engine.submit('line', { queue: 'tv', n })).task.taskId);
    ids.push((await engine.submit('line', { queue: 'pc', n: 6 })).task.taskId);
    await until(() => line.began.includes(6));
    expect(line.began).toEqual([1, 6]);
    line.gate.open();
    await Promise.all(ids.map((taskId) => engine.outcome(taskId)));
    expect(line.began).toEqual([1, 6, 2, 3, 4, 5]);
    expect(line.most()).toBe(1);
  });

  it('[ROOMS-172] lets the next call begin only when the work of one that was cancelled has stopped', async () => {
    const rig = await openLightRig(kind);
    const stopped = createGate();
    const began: number[] = [];
    const tool: Tool<Args> = {
      queue: () => 'tv',
      async run({ n }, task) {
        began.push(n);
        if (n > 1) return n;
        await untilAborted(task.signal);
        await stopped.opened;
        return n;
      },
    };
    const engine = await rig.engine({ tool }, { abortGraceMs: 60_000 });
    const first = (await engine.submit('tool', { n: 1 })).task.taskId;
    const second = (await engine.submit('tool', { n: 2 })).task.taskId;
    const beside = (await engine.submit('tool', { n: 3 }, { principal: 'bob' })).task.taskId;
    await until(() => began.includes(1) && began.includes(3));
    await engine.cancel(first);
    await engine.outcome(beside, { principal: 'bob' });
    expect((await engine.get(second)).status).toBe('queued');
    stopped.open();
    expect(await engine.outcome(second)).toEqual({ kind: 'result', value: 2 });
    expect(began.filter((n) => n !== 3)).toEqual([1, 2]);
  });

  it('[ROOMS-172] the same after a time-out', async () => {
    const rig = await openLightRig(kind);
    const stopped = createGate();
    const began: number[] = [];
    const tool: Tool<Args> = {
      queue: () => 'tv',
      maxRunMs: 50,
      async run({ n }) {
        began.push(n);
        if (n === 1) await stopped.opened;
        return n;
      },
    };
    const engine = await rig.engine({ tool }, { abortGraceMs: 60_000 });
    const first = (await engine.submit('tool', { n: 1 })).task.taskId;
    const second = (await engine.submit('tool', { n: 2 })).task.taskId;
    expect(await engine.outcome(first)).toMatchObject({ error: { code: 'TIMED_OUT' } });
    expect(began).toEqual([1]);
    expect((await engine.get(second)).status).toBe('queued');
    stopped.open();
    expect(await engine.outcome(second)).toEqual({ kind: 'result', value: 2 });
  });

  it('[ROOMS-173] is kept by a call that waits for its next attempt or for an answer, and left by one that is cancelled meanwhile', async () => {
    const rig = await openLightRig(kind);
    const began: string[] = [];
    const tool: Tool<Args> = {
      queue: ({ queue }) => queue,
      idempotent: true,
      retry: { firstDelayMs: 300, when: () => true },
      async run({ n }, task) {
        began.push(`${n}/${task.attempt}`);
        if (n === 1 && task.attempt === 1) throw new Error('not yet');
        if (n === 1) await task.ask({ message: 'Go on?', schema: { type: 'object' } });
        return n;
      },
    };
    const engine = await rig.engine({ tool }, { parkMs: 50 });
    const [first, second, third] = [1, 2, 3].map((n) => engine.submit('tool', { queue: 'tv', n }));
    const ids = (await Promise.all([first, second, third])).map((one) => one?.task.taskId ?? '');
    await untilStatus(engine, ids[0] ?? '', 'input_required');
    await until(async () => (await engine.get(ids[0] ?? '')).worker === undefined);
    await engine.cancel(ids[1] ?? '');
    expect(began).toEqual(['1/1', '1/2']);
    const { questions } = await engine.get(ids[0] ?? '');
    const key = questions[0]?.key ?? '';
    await engine.answer(ids[0] ?? '', { [key]: { action: 'accept', content: {} } });
    expect(await engine.outcome(ids[2] ?? '')).toEqual({ kind: 'result', value: 3 });
    expect(began).toEqual(['1/1', '1/2', '1/2', '3/1']);
  });

  it('[ROOMS-174] is shared by principals only when its tool says so', async () => {
    const rig = await openLightRig(kind);
    const [own, shared] = [createLine(), createLine({ queueScope: 'program' })];
    const engine = await rig.engine({ own: own.tool, shared: shared.tool }, { concurrency: 8 });
    const taskIds: [string, string][] = [];
    for (const tool of ['own', 'shared']) {
      for (const [n, principal] of ['ada', 'bob'].entries()) {
        const { task } = await engine.submit(tool, { queue: 'tv', n }, { principal });
        taskIds.push([task.taskId, principal]);
      }
    }
    await until(() => own.began.length === 2 && shared.began.length === 1);
    for (const line of [own, shared]) line.gate.open();
    await Promise.all(taskIds.map(([taskId, principal]) => engine.outcome(taskId, { principal })));
    expect(shared.began).toEqual([0, 1]);
    expect(shared.most()).toBe(1);
  });
});

describe('a queue', () => {
  it.each<[title: string, queue: () => unknown, did: string]>([
    ['nothing', () => undefined, 'gave undefined'],
    ['an empty text', () => '', 'gave an empty text'],
    ['a number', () => 7, 'gave a value of type number'],
    ['a promise', () => Promise.resolve('tv'), 'gave a value of type object'],
    ['too long a text', () => 'x'.repeat(513), 'gave 513 characters'],
    [
      'an error',
      () => {
        throw new Error('no secret');
      },
      'threw',
    ],
  ])('[ROOMS-175] that its tool names by %s is a refusal that says what was expected', async (_title, queue, did) => {
    const rig = await openLightRig('memory');
    const engine = await rig.idleEngine({ tool: { queue: queue as () => string, run: () => 1 } });
    await expect(engine.submit('tool')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: `tool tool: queue ${did}; expected a text of 1 to 512 characters`,
    });
    expect((await engine.list()).tasks).toEqual([]);
  });

  it.each([
    [{ queue: 'tv' }, 'queue is "tv"; expected a value of type function'],
    [{ queueScope: 'all' }, `queueScope is "all"; expected 'principal' or 'program'`],
  ])('[ROOMS-175] that is no function, or of no known scope, is refused with its tool', async (wrong, message) => {
    const rig = await openLightRig('memory');
    const tool = { run: () => 1, ...wrong } as unknown as Tool;
    await expect(rig.idleEngine({ tool })).rejects.toMatchObject({ message: `tool tool: ${message}` });
  });

  it('[ROOMS-176] leaves its name nowhere in the file, and is found again under a new key', async () => {
    const rig = await openLightRig();
    const secret = 'sk-very-secret-queue';
    const [old, fresh] = [1, 2].map((n) => ({ id: `k${n}`, key: Buffer.alloc(32, n).toString('base64') }));
    if (!old || !fresh) throw new Error('there are two keys');
    const line = createLine({ redact: ['queue'] });
    const first = await rig.engine({ line: line.tool }, { codec: aesGcmCodec({ keys: [old, fresh] }) });
    const { taskId } = (await first.submit('line', { queue: secret, n: 1 })).task;
    await until(() => line.began.length === 1);
    const second = await rig.engine({ line: line.tool }, { codec: aesGcmCodec({ keys: [fresh, old] }) });
    const next = (await second.submit('line', { queue: secret, n: 2 })).task;
    expect(next.queue).toBe((await first.get(taskId)).queue);
    const file = Buffer.concat([await readFile(rig.path), await readFile(`${rig.path}-wal`)]);
    expect(file.includes(secret)).toBe(false);
    expect(line.began).toEqual([1]);
    line.gate.open();
    await second.outcome(next.taskId);
    expect(line.began).toEqual([1, 2]);
  });

  it('[ROOMS-177] holds across engines on one store: order kept, never two at once', async () => {
    const rig = await openLightRig();
    const line = createLine();
    const engines = [
      await rig.engine({ line: line.tool }),
      await rig.engine({ line: line.tool }, { store: await rig.reopen() }),
    ];
    line.gate.open();
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) {
      const engine = engines[n % 2] ?? expect.unreachable();
      ids.push((await engine.submit('line', { queue: 'tv', n })).task.taskId);
    }
    await Promise.all(ids.map((taskId) => engines[0]?.outcome(taskId)));
    expect(line.began).toEqual(ids.map((_, n) => n));
    expect(line.most()).toBe(1);
  });

  it('[ROOMS-178] after kill -9 of its worker goes on in order, and nothing of it runs twice at once', async () => {
    const site = await openSite();
    const program = site.start({ workers: 'detached' });
    const ids: string[] = [];
    for (const n of [1, 2, 3, 4]) ids.push(await program.submit('inLine', { until: `go-${n}` }));
    const once = await program.submit('inLineOnce', { until: 'never' });
    ids.push(once, await program.submit('inLine', { until: 'go-1' }));

    const [first] = await site.untilRuns(1);
    process.kill(first?.pid ?? 0, 'SIGKILL');
    await site.untilRuns(2);
    await site.touch('go-1');
    const second = (await site.untilRuns(3))[2];
    process.kill(second?.pid ?? 0, 'SIGKILL');
    await site.untilRuns(4);
    for (const n of [2, 3, 4]) await site.touch(`go-${n}`);
    const third = (await site.untilRuns(7))[6];
    expect(third?.taskId).toBe(once);
    process.kill(third?.pid ?? 0, 'SIGKILL');
    await Promise.all(ids.map((taskId) => site.access.outcome(taskId)));

    const [a, b, c, d, , last] = ids;
    expect((await site.runs()).map(({ taskId }) => taskId)).toEqual([a, a, b, b, c, d, once, last]);
    const ends = await Promise.all(ids.map(async (taskId) => (await site.get(taskId)).outcome?.kind));
    expect(ends).toEqual(['result', 'result', 'result', 'result', 'interrupted', 'result']);
  });
});
