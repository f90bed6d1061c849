import { describe, expect, it } from 'vitest';
import { isClient } from '../../../src/dialects/shared/client-name.ts';
import {
  parseResultPolicy,
  type ResultOptions,
  type ResultPolicy,
  shouldBlock,
  toBudgetMs,
} from '../../../src/dialects/tasks-2025/result-mode.ts';
import { isTaskError } from '../../../src/errors.ts';

/** A policy and the warnings it took to make it. */
function parse(env: Record<string, string> = {}, options: ResultOptions = {}) {
  const warnings: string[] = [];
  return { ...parseResultPolicy(options, env, (text) => void warnings.push(text)), warnings };
}

describe('the mode of tasks/result', () => {
  it('is auto, without a warning, when nobody chose one', () => {
    expect(parse()).toMatchObject({ mode: 'auto', warnings: [] });
  });

  it.each(['auto', 'blocking', 'immediate_retry'] as const)('can be %s, from either variable', (mode) => {
    expect(parse({ HOLDFAST_TASK_RESULT_MODE: mode })).toMatchObject({ mode, warnings: [] });
    expect(parse({ MUNINN_MCP_TASK_RESULT_MODE: mode })).toMatchObject({ mode, warnings: [] });
  });

  it('is taken from the option before HOLDFAST_, and from that before MUNINN_MCP_', () => {
    const env = { HOLDFAST_TASK_RESULT_MODE: 'blocking', MUNINN_MCP_TASK_RESULT_MODE: 'immediate_retry' };
    expect(parse(env).mode).toBe('blocking');
    expect(parse(env, { mode: 'auto' }).mode).toBe('auto');
  });

  it('may be spelled with spaces around it and in capitals', () => {
    expect(parse({ HOLDFAST_TASK_RESULT_MODE: '  Blocking ' })).toMatchObject({ mode: 'blocking', warnings: [] });
  });

  it('passes over a variable that is empty', () => {
    const env = { HOLDFAST_TASK_RESULT_MODE: ' ', MUNINN_MCP_TASK_RESULT_MODE: 'blocking' };
    expect(parse(env)).toMatchObject({ mode: 'blocking', warnings: [] });
  });

  it('is auto with one warning that names variable, value and remedy when it is none', () => {
    const env = { HOLDFAST_TASK_RESULT_MODE: 'sometimes', MUNINN_MCP_TASK_RESULT_MODE: 'blocking' };
    const { mode, warnings } = parse(env);
    expect(mode).toBe('auto');
    expect(warnings).toEqual([
      'HOLDFAST_TASK_RESULT_MODE is "sometimes"; expected auto, blocking, immediate_retry; using auto',
    ]);
  });

  it.each(['sometimes', 7])('is auto with one warning for an option that is none: %j', (mode) => {
    const { warnings, ...policy } = parse({}, { mode: mode as never });
    expect(policy.mode).toBe('auto');
    expect(warnings).toHaveLength(1);
  });
});

describe('the list of clients that are not made to wait', () => {
  const defaults = ['claude desktop', 'claude code', 'cursor', 'windsurf', 'continue'];

  it('has the known ones by default', () => {
    expect(parse().retryClients).toEqual(defaults);
  });

  it('is taken from the option before HOLDFAST_, and from that before MUNINN_MCP_', () => {
    const muninn = { MUNINN_MCP_TASK_RESULT_AUTO_RETRY_CLIENTS: 'm1, m2' };
    const both = { ...muninn, HOLDFAST_TASK_RESULT_AUTO_RETRY_CLIENTS: ' h1 ,,h2' };
    expect(parse(muninn).retryClients).toEqual(['m1', 'm2']);
    expect(parse(both).retryClients).toEqual(['h1', 'h2']);
    expect(parse(both, { retryClients: ['o1'] }).retryClients).toEqual(['o1']);
  });

  it('has the known ones when the variable names nobody', () => {
    expect(parse({ HOLDFAST_TASK_RESULT_AUTO_RETRY_CLIENTS: ' , ' }).retryClients).toEqual(defaults);
  });

  it('may be emptied by the option', () => {
    expect(parse({}, { retryClients: [] }).retryClients).toEqual([]);
  });

  it.each(['cursor', [1]])('refuses an option that is no list of names: %j', (retryClients) => {
    expect(() => parse({}, { retryClients: retryClients as never })).toThrow(/retryClients is .* expected a list/);
  });
});

describe('the name of a client', () => {
  it.each([
    ['claude code', 'claude-code'],
    ['claude code', 'Claude Code'],
    ['claude code', 'ClaudeCode'],
    ['claude code', 'claude_code/2.1.325'],
    ['Claude-Code', 'claude code'],
    ['claude desktop', 'claude-desktop'],
    ['claude desktop', 'claude-ai'],
    ['Claude Desktop', 'Claude AI'],
    ['cursor', 'cursor-vscode'],
    ['cursor', 'Cursor'],
    ['windsurf', 'windsurf-client'],
    ['windsurf', 'Windsurf'],
    ['continue', 'continue-client'],
    ['continue', 'continue-cli-client'],
  ])('%j is found in %j', (known, reported) => {
    expect(isClient(known, reported)).toBe(true);
  });

  it.each([
    ['claude code', 'claude-codex'],
    ['claude code', 'code-claude'],
    ['cursor', 'precursor'],
    ['continue', 'discontinued-client'],
    ['claude code', 'claude-ai'],
    ['cursor', 'Visual Studio Code'],
    ['windsurf', ''],
    ['', 'anything'],
    ['--', 'anything'],
    ['constructor', 'anything'],
  ])('%j is not found in %j', (known, reported) => {
    expect(isClient(known, reported)).toBe(false);
  });
});

describe('whether tasks/result waits', () => {
  const toPolicy = (mode: ResultPolicy['mode']): ResultPolicy => ({ ...parse({}, { mode }), budgetMs: 110_000 });

  it.each([
    ['auto', 'claude-code', undefined, false],
    ['auto', 'Claude Code', undefined, false],
    ['auto', 'claude-ai', undefined, false],
    ['auto', 'mcp-inspector', undefined, true],
    ['auto', undefined, undefined, true],
    ['auto', 'claude-code', true, true],
    ['auto', 'mcp-inspector', false, false],
    ['blocking', 'claude-code', undefined, true],
    ['blocking', 'claude-code', false, false],
    ['immediate_retry', 'mcp-inspector', undefined, false],
    ['immediate_retry', 'mcp-inspector', true, true],
  ] as const)('in mode %s for client %s with wait %s: %s', (...[mode, client, wait, expected]) => {
    expect(shouldBlock(toPolicy(mode), client, wait)).toBe(expected);
  });

  it('is without limit in mode auto, as the specification says, unless the request asked to wait', () => {
    expect(toBudgetMs(toPolicy('auto'), undefined)).toBe(Number.POSITIVE_INFINITY);
    expect(toBudgetMs(toPolicy('auto'), true)).toBe(110_000);
  });

  it.each<[Record<string, string>, ResultOptions]>([
    [{}, { hostTimeoutMs: 5000, marginMs: 1000 }],
    [{}, { hostTimeoutMs: 14_000 }],
    [{}, { marginMs: 116_000 }],
    [{ HOLDFAST_TASK_RESULT_MAX_WAIT_SEC: '4' }, {}],
    [{ MUNINN_MCP_HOST_TOOLS_CALL_TIMEOUT_SEC: '14' }, {}],
    [{ HOLDFAST_TOOL_CALL_DEADLINE_MARGIN_SEC: '116' }, {}],
  ])('is bound in every mode by a budget that was set: %j %j', (env, options) => {
    for (const mode of ['auto', 'blocking', 'immediate_retry'] as const) {
      for (const wait of [undefined, true]) expect(toBudgetMs(parse(env, { ...options, mode }), wait)).toBe(4000);
    }
  });

  it('is not bound by a variable that could not be used', () => {
    const policy = parse({ HOLDFAST_TASK_RESULT_MAX_WAIT_SEC: 'soon', HOLDFAST_HOST_TOOLS_CALL_TIMEOUT_SEC: 'x' });
    expect(toBudgetMs(policy, undefined)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each(['blocking', 'immediate_retry'] as const)('is bound by the budget in mode %s', (mode) => {
    expect(toBudgetMs(toPolicy(mode), undefined)).toBe(110_000);
    expect(toBudgetMs(toPolicy(mode), true)).toBe(110_000);
  });
});

describe('the wait budget', () => {
  it('is the time-out of the host less a margin: 120 s less 10 s', () => {
    expect(parse().budgetMs).toBe(110_000);
  });

  it('follows both options', () => {
    expect(parse({}, { hostTimeoutMs: 60_000, marginMs: 5000 }).budgetMs).toBe(55_000);
    expect(parse({}, { hostTimeoutMs: 60_000 }).budgetMs).toBe(50_000);
    expect(parse({}, { marginMs: 0 }).budgetMs).toBe(120_000);
  });

  it('is at least one second', () => {
    expect(parse({}, { hostTimeoutMs: 5000 }).budgetMs).toBe(1000);
    expect(parse({ MUNINN_MCP_HOST_TOOLS_CALL_TIMEOUT_SEC: '3' }).budgetMs).toBe(1000);
  });

  it('follows the variables for the host and the margin', () => {
    const env = { MUNINN_MCP_HOST_TOOLS_CALL_TIMEOUT_SEC: '60', MUNINN_MCP_TOOL_CALL_DEADLINE_MARGIN_SEC: '1.5' };
    expect(parse(env).budgetMs).toBe(58_500);
    expect(parse({ ...env, HOLDFAST_HOST_TOOLS_CALL_TIMEOUT_SEC: '30' }).budgetMs).toBe(28_500);
  });

  it('is the longest wait where one is set, in seconds, from either variable', () => {
    expect(parse({ MUNINN_MCP_TASK_RESULT_MAX_WAIT_SEC: '0.5' }).budgetMs).toBe(500);
    const both = { MUNINN_MCP_TASK_RESULT_MAX_WAIT_SEC: '3', HOLDFAST_TASK_RESULT_MAX_WAIT_SEC: '400' };
    expect(parse(both).budgetMs).toBe(400_000);
  });

  it.each(['0', '-1'])('has no limit when the longest wait is %s', (seconds) => {
    const { budgetMs } = parse({ MUNINN_MCP_TASK_RESULT_MAX_WAIT_SEC: seconds });
    expect(budgetMs).toBe(Number.POSITIVE_INFINITY);
  });

  it.each(['soon', 'Infinity', 'NaN'])('is the default, with a warning, when the longest wait is %s', (seconds) => {
    const { budgetMs, warnings } = parse({ MUNINN_MCP_TASK_RESULT_MAX_WAIT_SEC: seconds });
    expect(budgetMs).toBe(110_000);
    expect(warnings).toEqual([
      `MUNINN_MCP_TASK_RESULT_MAX_WAIT_SEC is "${seconds}"; expected a number of seconds; using the default`,
    ]);
  });

  it('follows an option rather than the longest wait of a variable', () => {
    expect(parse({ HOLDFAST_TASK_RESULT_MAX_WAIT_SEC: '3' }, { marginMs: 20_000 }).budgetMs).toBe(100_000);
  });

  it.each([
    ['hostTimeoutMs', -1],
    ['marginMs', Number.NaN],
    ['hostTimeoutMs', '60'],
  ])('refuses %s %j by name', (field, value) => {
    let thrown: unknown;
    try {
      parse({}, { [field]: value as number });
    } catch (error) {
      thrown = error;
    }
    expect(isTaskError(thrown, 'INVALID_ARGUMENT')).toBe(true);
    expect((thrown as Error).message).toContain(field);
  });
});
