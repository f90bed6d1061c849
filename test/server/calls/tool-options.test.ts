import { createServer, type ServerTool } from 'holdfast';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const run = () => '';
const add = (tool: object) => createServer({ name: 'test', version: '1' }).tool('t', tool as ServerTool);

describe('a tool with wrong options is refused when it is registered', () => {
  it.each([
    ['a task of no kind', { run, task: 'sometimes' }, "task is \"sometimes\"; expected 'auto', 'always' or 'never'"],
    ['half a millisecond', { run, inlineMs: 0.5 }, 'inlineMs is 0.5; expected a whole number from 0 up'],
    [
      '[BAD-415] joining for a time that is none',
      { run, joinMs: -1 },
      'joinMs is -1; expected a whole number from 0 up',
    ],
    ['input that is no object', { run, input: z.string() }, 'input cannot be used: it is not of type object'],
    [
      'output that is no object',
      { run, output: z.array(z.string()) },
      'output cannot be used: it is not of type object',
    ],
    ['a schema that is broken', { run, input: { type: 'object', properties: 5 } }, 'input cannot be used'],
    ['a reference to nowhere', { run, input: { type: 'object', $ref: '#/$defs/none' } }, 'input cannot be used'],
    [
      'questions for a tool that cannot ask',
      { run, task: 'never', upfront: () => ({}) },
      'upfront is "given"; expected',
    ],
  ])('%s', (_what, tool, message) => {
    expect(() => add(tool)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(() => add(tool)).toThrow(message);
  });

  it('[BAD-415] joining for a time that is none, for all tools', () => {
    const create = () => createServer({ name: 'test', version: '1', joinMs: 0.5 });
    expect(create).toThrow('joinMs is 0.5; expected a whole number from 0 up');
  });

  it('a name that no client can send', () => {
    expect(() => createServer({ name: 'test', version: '1' }).tool('no spaces', { run })).toThrow('expected 1 to 128');
  });

  it('a name that is taken', () => {
    expect(() => add({ run }).tool('t', { run })).toThrow('there is a tool "t" already');
  });
});
