import { describe, expect, it } from 'vitest';
import { TaskError } from '../../src/errors.ts';
import { TaskQuestions } from '../../src/gateway/calls/ask-task.ts';
import { toLogLevel } from '../../src/gateway/calls/call-meta.ts';
import type { ServerTaskContext } from '../../src/index.ts';

/** A task that notes under which keys it asks, and keeps what it was asked as a task does. */
function openTask() {
  const keys: string[] = [];
  const known = new Map<string, string>();
  const ask = async ({ key, ...request }: { key: string }) => {
    const text = JSON.stringify(request);
    if ((known.get(key) ?? text) !== text) throw new TaskError('REPLAY_MISMATCH', 'asked before in another form');
    known.set(key, text);
    keys.push(key);
    return {};
  };
  return { keys, questions: new TaskQuestions({ ask } as unknown as ServerTaskContext) };
}

const form = (message: string) =>
  ({ method: 'elicitation/create', params: { message, requestedSchema: { type: 'object' } } }) as const;

describe('a question of an upstream', () => {
  it('[GATE-162] has the name that the upstream gave it', async () => {
    const { keys, questions } = openTask();
    await questions.ask(form('Who?'), 'user_name');
    await questions.ask(form('Where?'), 'place');
    expect(keys).toEqual(['user_name', 'place']);
  });

  it('[GATE-162] has one of its own where the name is missing, strange or used', async () => {
    const { keys, questions } = openTask();
    await questions.ask(form('Who?'));
    await questions.ask(form('Who else?'), 'a b\u001b[2J');
    await questions.ask(form('Who?'), 'name');
    await questions.ask(form('Who?'), 'name');
    expect(keys[2]).toBe('name');
    expect(new Set(keys).size).toBe(4);
    for (const key of keys) expect(key).toMatch(/^[\w-]+$/);
  });

  it('[GATE-162] has one of its own where an earlier attempt used the name for something else', async () => {
    const { keys, questions } = openTask();
    await questions.ask(form('Who?'), 'name');
    const again = new TaskQuestions({
      ask: async ({ key }: { key: string }) => {
        if (key === 'name') throw new TaskError('REPLAY_MISMATCH', 'asked before in another form');
        keys.push(key);
        return {};
      },
    } as unknown as ServerTaskContext);
    await again.ask(form('Where?'), 'name');
    expect(keys).toHaveLength(2);
    expect(keys[1]).not.toBe('name');
  });
});

describe('lines of log', () => {
  const level = 'io.modelcontextprotocol/logLevel';
  const modern = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };

  it('[GATE-164] are asked for with the call where the upstream is of 2026-07-28', () => {
    expect(toLogLevel({}, 'modern')).toEqual({ [level]: 'debug' });
    expect(toLogLevel({ ...modern, [level]: 'warning' }, 'modern')).toEqual({ [level]: 'warning' });
    expect(toLogLevel(modern, 'modern')).toEqual({});
    expect(toLogLevel({}, 'legacy')).toEqual({});
  });
});
