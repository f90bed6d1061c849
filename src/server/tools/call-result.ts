import { toTextResult } from '../../dialects/shared/outcomes/text-result.ts';
import { TaskError } from '../../errors.ts';
import type { ParsedServerTool } from './server-tool.ts';

/** MCP's `CallToolResult`. */
export interface CallResult {
  readonly content: readonly { readonly type: string; readonly [key: string]: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly [key: string]: unknown;
}

/**
 * Converts what a tool returned to the form MCP requires: from a text, a list of content, a whole result, or with
 * `output` a value of that schema.
 */
export function toCallResult(tool: ParsedServerTool, value: unknown): CallResult {
  if (isCallResult(value)) return tool.parseOutput && !tool.definition.listing ? withChecked(tool, value) : value;
  if (tool.parseOutput) return toStructured(tool.parseOutput(value));
  if (value === undefined || value === null) return { content: [] };
  if (typeof value === 'string') return toTextResult(value);
  if (Array.isArray(value) && value.every(isContent)) return { content: value };
  throw new TaskError(
    'TOOL_FAILED',
    `tool ${tool.name} returned ${typeof value}; expected a text, a list of content, a CallToolResult, or with output a value of that schema`,
  );
}

function withChecked(tool: ParsedServerTool, result: CallResult): CallResult {
  if (result.isError === true) return result;
  if (result.structuredContent === undefined) {
    throw new TaskError('TOOL_FAILED', `tool ${tool.name} has an output schema but returned no structuredContent`);
  }
  tool.parseOutput?.(result.structuredContent);
  return result;
}

function toStructured(value: unknown): CallResult {
  // The text is for clients without support for structured content.
  return { ...toTextResult(JSON.stringify(value)), structuredContent: value };
}

function isCallResult(value: unknown): value is CallResult {
  return value !== null && typeof value === 'object' && 'content' in value && Array.isArray(value.content);
}

function isContent(part: unknown): boolean {
  return part !== null && typeof part === 'object' && 'type' in part && typeof part.type === 'string';
}
