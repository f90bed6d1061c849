/**
 * `callMeta.asyncTask`: which tools of a server answer through the prompt log, and how their results are found.
 *
 * Absent fields have defaults, and numbers out of range are clamped. A field of a wrong type is an error before
 * anything is sent: its intent cannot be guessed, and a wrong guess would wait for ever.
 */
import { invalidField, refuseUnknownFields } from '../../invalid-field.ts';
import type { JsonObject } from '../host-port.ts';
import { parseFlag, parseList, parseName, parseObject, parseText } from './field.ts';

/** The file name of the prompt log, in a state directory. */
export const LOG_NAME = 'ui-prompts.jsonl';

/** The prefix that older apps put before the task id. */
export const LEGACY_PREFIX = 'mcp-task:';

/** How a host and an app exchange results through the prompt log. */
export interface AsyncTaskConfig {
  /** Tool names in lower case; empty for every tool of the server. */
  readonly tools: readonly string[];
  /** The key of the task id in `_meta`. */
  readonly taskIdKey: string;
  readonly uiPromptFile: string;
  readonly pollIntervalMs: number;
  /** An optional prefix of the id in a `requestId`; empty for none. */
  readonly requestIdPrefix: string;
  /** The app's task store, relative to its data directory. */
  readonly stateFileName?: string;
}

/** How one of our tools answers through the prompt log. */
export interface AsyncToolConfig extends AsyncTaskConfig {
  /** Which calls: all; those with an id and those of hosts that speak the contract; or those that name the tool. */
  readonly takes: 'all' | 'contract' | 'asked';
  /** Whether a result prompt is written for calls in other dialects too. */
  readonly promptAlways: boolean;
  /** Whether the app writes its task store itself. */
  readonly ownStore: boolean;
}

const RESULT_SOURCE = 'ui_prompts';
const POLL = { min: 200, max: 5000, default: 1000 };

/** Parses the configuration; throws `INVALID_ARGUMENT` that names the field. */
export function parseAsyncTask(value: unknown): AsyncTaskConfig {
  const raw = parseObject('asyncTask', value);
  const source = parseText('asyncTask.resultSource', raw.resultSource, RESULT_SOURCE).toLowerCase();
  if (source !== RESULT_SOURCE) throw invalidField('asyncTask.resultSource', raw.resultSource, `"${RESULT_SOURCE}"`);
  const stateFileName = parseText('asyncTask.stateFileName', raw.stateFileName);
  return {
    tools: parseTools(raw.tools),
    taskIdKey: parseName('asyncTask.taskIdKey', raw.taskIdKey, 'taskId'),
    uiPromptFile: parseText('asyncTask.uiPromptFile', raw.uiPromptFile) || LOG_NAME,
    pollIntervalMs: parseInterval(raw.pollIntervalMs),
    requestIdPrefix: parseText('asyncTask.requestIdPrefix', raw.requestIdPrefix, LEGACY_PREFIX),
    ...(stateFileName !== '' && { stateFileName }),
  };
}

const OWNER_FIELDS: Readonly<
  Record<keyof AsyncTaskConfig | 'optional' | 'promptAlways' | 'ownStore' | 'resultSource', true>
> = {
  optional: true,
  promptAlways: true,
  ownStore: true,
  tools: true,
  taskIdKey: true,
  resultSource: true,
  uiPromptFile: true,
  pollIntervalMs: true,
  requestIdPrefix: true,
  stateFileName: true,
};

/** Parses the setting of a tool's owner; undefined when the tool does not use the prompt log by itself. */
export function parseAsyncTool(value: unknown): AsyncToolConfig | undefined {
  if (value === undefined || value === false) return undefined;
  const raw = value === true ? {} : parseObject('asyncTask', value);
  refuseUnknownFields(raw, OWNER_FIELDS, 'asyncTask');
  const flags = {
    takes: parseTakes(raw.optional),
    promptAlways: parseFlag('asyncTask.promptAlways', raw.promptAlways, false),
    ownStore: parseFlag('asyncTask.ownStore', raw.ownStore, false),
  };
  return { ...parseAsyncTask(raw), ...flags };
}

function parseTakes(optional: unknown): AsyncToolConfig['takes'] {
  if (optional === undefined || optional === false) return 'all';
  if (optional === true) return 'contract';
  if (optional === 'asked') return 'asked';
  throw invalidField('asyncTask.optional', optional, 'true, false or "asked"');
}

/** Returns the configuration that covers a tool of a server with this `callMeta`, if there is one. */
export function findAsyncTask(callMeta: JsonObject | undefined, tool: string): AsyncTaskConfig | undefined {
  if (callMeta?.asyncTask === undefined) return undefined;
  const config = parseAsyncTask(callMeta.asyncTask);
  return isAsyncTool(config, tool) ? config : undefined;
}

/** Whether a configuration covers a tool. */
export function isAsyncTool({ tools }: AsyncTaskConfig, tool: string): boolean {
  return tools.length === 0 || tools.includes(tool.trim().toLowerCase());
}

function parseTools(value: unknown): readonly string[] {
  if (value === undefined) return [];
  const tools = parseList('asyncTask.tools', value, { min: 0, max: Infinity });
  const names = tools.map((tool, index) => parseText(`asyncTask.tools[${index}]`, tool).toLowerCase());
  return names.filter((name) => name !== '');
}

function parseInterval(value: unknown): number {
  if (value === undefined) return POLL.default;
  if (typeof value !== 'number' || Number.isNaN(value))
    throw invalidField('asyncTask.pollIntervalMs', value, `a number of ms from ${POLL.min} to ${POLL.max}`);
  return Math.min(POLL.max, Math.max(POLL.min, value));
}
