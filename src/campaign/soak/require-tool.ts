import { TaskError } from '../../errors.ts';
import { isObject } from '../../is-object.ts';
import { cut, type JsonObject } from './peers/connection.ts';
import type { Session } from './peers/session.ts';

/** Stops paging after this many pages, in case the list is endless. */
const MAX_PAGES = 100;
const SHOWN_TOOLS = 50;

/** Throws `TOOL_NOT_FOUND`, with the names of the available tools, unless the tool exists. */
export async function requireTool(session: Session, tool: string): Promise<void> {
  const names: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await session.send(`tools-${tool}-${page}`, 'tools/list', cursor === undefined ? {} : { cursor });
    if (answer.kind === 'error') throw new TaskError('CONNECT_FAILED', `tools/list failed: ${answer.message}`);
    names.push(...toNames(answer.result));
    const { nextCursor } = answer.result;
    if (typeof nextCursor !== 'string') break;
    cursor = nextCursor;
  }
  if (names.includes(tool)) return;
  const expected = names.slice(0, SHOWN_TOOLS).map(cut).join(', ');
  throw new TaskError('TOOL_NOT_FOUND', `the server has no tool ${JSON.stringify(tool)}; expected: ${expected}`);
}

function toNames({ tools }: JsonObject): string[] {
  return (Array.isArray(tools) ? tools : []).filter(isObject).map(({ name }) => String(name));
}
