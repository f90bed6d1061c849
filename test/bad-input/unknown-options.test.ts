import { createEngine, createMemoryStore, createServer, openSqliteStore } from 'holdfast';
import { createHost } from 'holdfast/host';
import { describe, expect, it, onTestFinished } from 'vitest';

const SERVER = { name: 'test', version: '1' };
const run = () => 1;
const refusal = (message: string) =>
  expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(message) });

describe('an option that does not exist', () => {
  it.each([
    [{ worker: 'detached' }, 'worker is not known (did you mean workers?); expected '],
    [{ http: { maxRequest: 5 } }, 'http.maxRequest is not known (did you mean maxRequests?)'],
    [{ http: { perPrincipal: { request: 5 } } }, 'http.perPrincipal.request is not known (did you mean requests?)'],
    [{ messageLimits: { member: 5 } }, 'messageLimits.member is not known (did you mean members?)'],
    [{ limits: { perPrincipal: { quued: 5 } } }, 'limits.perPrincipal.quued is not known (did you mean queued?)'],
    [{ asyncTask: { promptsAlways: true } }, 'asyncTask: promptsAlways is not known (did you mean promptAlways?)'],
    [{ taskResult: { hostTimeout: 5 } }, 'taskResult.hostTimeout is not known (did you mean hostTimeoutMs?)'],
    [{ colour: 'red' }, 'colour is not known; expected '],
  ])('[FIRST-301] is refused by createServer: %j', (options, message) => {
    expect(() => createServer({ ...SERVER, ...options } as never)).toThrow(refusal(message));
  });

  it.each([
    [{ idempotnet: true }, 'tool t: idempotnet is not known (did you mean idempotent?); expected '],
    [
      { idempotent: true, retry: { maxAttempt: 5 } },
      'tool t: retry.maxAttempt is not known (did you mean maxAttempts?)',
    ],
    [{ ttl: 5 }, 'tool t: ttl is not known (did you mean ttlMs?)'],
    [{ stream: { ap: 'x' } }, 'tool t: stream.ap is not known (did you mean app?)'],
    [{ idempotent: 'yes' }, 'tool t: idempotent is "yes"; expected a value of type boolean'],
    [{ retry: { maxAttempts: 5 } }, 'expected only together with idempotent: true'],
  ])('[FIRST-302] or a value that is not one, is refused when a server registers a tool: %j', (tool, message) => {
    expect(() => createServer(SERVER).tool('t', { run, ...tool } as never)).toThrow(refusal(message));
  });

  it.each([
    [{ worker: 'detached' }, 'worker is not known (did you mean workers?)'],
    [{ tools: { t: { run, idempotnet: true } } }, 'tool t: idempotnet is not known (did you mean idempotent?)'],
    [{ tools: { t: { run, description: 'x' } } }, 'tool t: description is not known; expected run, input, '],
  ])('[FIRST-303] is refused by createEngine: %j', async (options, message) => {
    const made = createEngine({ name: 'test', store: createMemoryStore(), ...options } as never);
    await expect(made).rejects.toThrow(refusal(message));
  });

  it('[FIRST-303] is refused by submit, before a task is made', async () => {
    const engine = await createEngine({ name: 'test', store: createMemoryStore(), tools: { t: { run } } });
    onTestFinished(() => engine.close());
    const submitted = engine.submit('t', {}, { idempotenceKey: 'a' } as never);
    await expect(submitted).rejects.toThrow(
      refusal('submit of t: idempotenceKey is not known (did you mean idempotencyKey?)'),
    );
    expect((await engine.list()).tasks).toEqual([]);
  });

  it('[FIRST-304] is refused by stores, in a host, in the spec of a server and in a call', async () => {
    await expect(openSqliteStore({ path: '/tmp/x', readonly: true } as never)).rejects.toThrow(
      refusal('readonly is not known (did you mean readOnly?)'),
    );
    expect(() => createMemoryStore({ clok: 1 } as never)).toThrow(refusal('clok is not known (did you mean clock?)'));
    await expect(createHost({ stateDirectory: '/x' } as never)).rejects.toThrow(refusal('stateDirectory is not known'));
    const host = await createHost();
    onTestFinished(() => host.close());
    await expect(host.connect('s', { command: 'x', arg: ['y'] } as never)).rejects.toThrow(
      refusal('server s: arg is not known (did you mean args?)'),
    );
    await expect(host.call('s', 'tool', {}, { maxWait: 5 } as never)).rejects.toThrow(
      refusal('options.maxWait is not known (did you mean maxWaitMs?)'),
    );
    await expect(host.resume({ sesionId: 'x' } as never)).rejects.toThrow(
      refusal('sesionId is not known (did you mean sessionId?)'),
    );
  });
});
