import type { JsonObject } from '../../../campaign/soak/peers/connection.ts';
import type { ToolCall, Workload } from '../../../campaign/soak/workload.ts';
import { TaskError } from '../../../errors.ts';
import { isObject } from '../../../is-object.ts';
import type { SoakedValues } from './campaign-commands.ts';

const ERROR_CODE = '-32603';
/** Long enough for a kill to arrive in the middle of the call, even on a busy machine. */
const KILLED_MS = 500;

/** The calls to make: as the options say, or else the demo calls that exercise the most. */
export function parseWorkload(values: SoakedValues, demo: { readonly delayMs: number } | undefined): Workload {
  const { tool, answer } = values;
  const expect = parseExpect(values.expect);
  const errorCode = values['error-code'] ?? ERROR_CODE;
  if (demo !== undefined && tool === undefined) return toDemo(values, { expect, errorCode, delayMs: demo.delayMs });
  if (tool === undefined) throw new TaskError('USAGE', '--tool is missing; expected the name of a tool of the server');
  const measured = { tool, args: parseObject(values.arguments, '--arguments') ?? {} };
  const probe = toProbe(values, measured);
  return { measured, expect, errorCode, probe, killed: measured, ...(answer !== undefined && { answer }) };
}

interface DemoParts extends Pick<Workload, 'expect' | 'errorCode'> {
  readonly delayMs: number;
}

/** Calls that go through the store and the worker; each result names the call that it answers. */
function toDemo(values: SoakedValues, { expect, errorCode, delayMs }: DemoParts): Workload {
  for (const option of ['arguments', 'answer'] as const) {
    if (values[option] !== undefined) throw new TaskError('USAGE', `--${option} is about a tool; expected with --tool`);
  }
  const probe = toProbe(values, { tool: 'sleep_once', args: { ms: delayMs } });
  if (expect === 'error') {
    const measured = { tool: 'fail', args: { how: 'protocol' } };
    return { measured, expect, errorCode: values['error-code'] ?? '-32000', probe, killed: measured };
  }
  return {
    measured: { tool: 'sleep', args: { ms: 0, note: '[{call}]' } },
    killed: { tool: 'sleep', args: { ms: KILLED_MS, note: '[{call}]' } },
    // With brackets, because the name of one call may be a prefix of another's.
    answer: '[{call}]',
    expect,
    errorCode,
    probe,
  };
}

function toProbe(values: SoakedValues, otherwise: ToolCall): ToolCall {
  const tool = values['probe-tool'];
  const args = parseObject(values['probe-arguments'], '--probe-arguments');
  if (tool === undefined) return args === undefined ? otherwise : { ...otherwise, args };
  return { tool, args: args ?? {} };
}

function parseExpect(text = 'result'): 'result' | 'error' {
  if (text === 'result' || text === 'error') return text;
  throw new TaskError('USAGE', `--expect is ${JSON.stringify(text)}; expected result or error`);
}

function parseObject(text: string | undefined, option: string): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value as JsonObject;
  } catch {
    // The error is thrown below.
  }
  throw new TaskError('USAGE', `${option} is not usable; expected a JSON object such as '{"year":2025}'`);
}
