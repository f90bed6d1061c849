import { describe, expect, it } from 'vitest';
import { isTaskError, TaskError, taskErrorCodes, toTaskError } from '../src/errors.ts';

const traitsOf = (code: (typeof taskErrorCodes)[number]) => new TaskError(code, 'x').traits;

describe('every error code', () => {
  it.each(taskErrorCodes)('%s has a name, numbers and an exit code that make sense', (code) => {
    const { rpc, http, exit, retryable } = traitsOf(code);
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    // https://www.jsonrpc.org/specification#error_object: reserved for pre-defined errors, invalid request to internal.
    // A quota has its own code: peers distinguish it from every other failure by that number.
    expect([-32_600, -32_601, -32_602, -32_603, -32_029]).toContain(rpc);
    expect(http).toBeGreaterThanOrEqual(400);
    expect(http).toBeLessThanOrEqual(599);
    expect(exit).toBeGreaterThanOrEqual(1);
    expect(exit).toBeLessThanOrEqual(125);
    expect(typeof retryable).toBe('boolean');
  });

  it.each(taskErrorCodes)('%s blames the caller in all of its numbers or in none', (code) => {
    const { rpc, http } = traitsOf(code);
    if (http === 400 || http === 404) expect(rpc).toBe(-32_602);
    if (http >= 500) expect(rpc).toBe(-32_603);
  });

  it.each(taskErrorCodes)('%s can be retried only when the request itself was fine', (code) => {
    const { rpc, retryable } = traitsOf(code);
    if (retryable) expect([-32_029, -32_603]).toContain(rpc);
  });

  it('of bad usage exits with 2, as shells expect', () => {
    const usage = taskErrorCodes.filter((code) => traitsOf(code).exit === 2);
    expect(usage).toEqual(expect.arrayContaining(['USAGE', 'INVALID_ARGUMENT', 'INVALID_TTL']));
    for (const code of usage) expect(traitsOf(code).http).toBe(400);
  });

  it('exists once', () => {
    expect(new Set(taskErrorCodes).size).toBe(taskErrorCodes.length);
    expect(taskErrorCodes.length).toBeGreaterThan(20);
  });
});

describe('a named error', () => {
  it('carries its code, its data and its cause', () => {
    const cause = new Error('EACCES');
    const error = new TaskError('STORE_NO_ACCESS', 'Cannot open it', { cause, data: { path: 'x' } });
    expect(error).toBeInstanceOf(Error);
    expect([error.name, error.code, error.message]).toEqual(['TaskError', 'STORE_NO_ACCESS', 'Cannot open it']);
    expect([error.cause, error.data]).toEqual([cause, { path: 'x' }]);
  });

  it('has no cause when none was given', () => {
    expect('cause' in new TaskError('INTERNAL', 'x')).toBe(false);
  });

  it('is told from other errors, and by its code', () => {
    const error = new TaskError('QUEUE_FULL', 'x');
    expect(isTaskError(error)).toBe(true);
    expect(isTaskError(error, 'QUEUE_FULL')).toBe(true);
    expect(isTaskError(error, 'INTERNAL')).toBe(false);
    expect(isTaskError(Object.assign(new Error('x'), { code: 'QUEUE_FULL' }))).toBe(false);
    expect(isTaskError(undefined)).toBe(false);
  });
});

describe('the gate for foreign errors', () => {
  it('lets a named error through as it is', () => {
    const error = new TaskError('TASK_NOT_FOUND', 'No task x');
    expect(toTaskError(error)).toBe(error);
  });

  it.each([new TypeError('secret password'), 'secret password', { message: 'secret password' }, null, undefined, 42])(
    'turns %s into INTERNAL without a word of it',
    (foreign) => {
      const error = toTaskError(foreign);
      expect(error.code).toBe('INTERNAL');
      expect(error.message).toBe('Internal error');
      expect(JSON.stringify({ ...error, message: error.message })).not.toContain('secret');
      expect(error.data).toBeUndefined();
    },
  );

  it('[TASK-13] keeps the original as the cause, for our own log', () => {
    const bug = new TypeError('secret password');
    expect(toTaskError(bug).cause).toBe(bug);
  });
});
