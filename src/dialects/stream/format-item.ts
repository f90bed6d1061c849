import { cutText } from '../../text/cut-text.ts';

type Fields = { readonly [key: string]: unknown };

const LONGEST = { reasoning: 120, assistant: 160, other: 200 };

/** Returns a short description of one item of Codex's work. */
export function formatItem(value: unknown): string {
  if (value === null || typeof value !== 'object') return '';
  const item = value as Fields;
  const { type } = item;
  switch (type) {
    case 'command_execution':
      return `command ${quote(item.command)}${formatStatus(item)}${formatExit(item)}`;
    case 'file_change':
      return `patch status=${toText(item.status)}${formatChanges(item)}`;
    case 'mcp_tool_call':
      return `mcp ${toText(item.server)}.${toText(item.tool)} status=${toText(item.status)}`;
    case 'web_search':
      return `web_search ${quote(item.query)}`;
    case 'todo_list':
      return `todo_list (${Array.isArray(item.items) ? item.items.length : 0} items)`;
    case 'error':
      return `error ${quote(item.message)}`;
    case 'reasoning':
      return `reasoning ${quote(cutText(toText(item.text), LONGEST.reasoning))}`;
    case 'agent_message':
      return `assistant ${quote(cutText(toText(item.text), LONGEST.assistant))}`;
    default:
      return `${toText(type) || 'item'} ${cutText(JSON.stringify(item), LONGEST.other)}`;
  }
}

function formatStatus({ status }: Fields): string {
  return status ? ` status=${toText(status)}` : '';
}

/** A running command has the exit code `null`; one that will never have an exit code has no field. */
function formatExit({ exit_code: code }: Fields): string {
  return code === undefined ? '' : ` exit=${String(code)}`;
}

function formatChanges({ changes }: Fields): string {
  if (!Array.isArray(changes) || changes.length === 0) return '';
  const each = (changes as Fields[]).map((change) => `${toText(change?.kind)}:${toText(change?.path)}`);
  return ` changes=[${each.join(', ')}]`;
}

function quote(value: unknown): string {
  return JSON.stringify(value ?? '');
}

function toText(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}
