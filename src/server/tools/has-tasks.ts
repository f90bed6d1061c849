import type { ParsedServerTool } from './server-tool.ts';

/** Whether any tool can be a task. A server whose tools are never tasks opens no store. */
export function hasTasks(tools: ReadonlyMap<string, ParsedServerTool>): boolean {
  return [...tools.values()].some(({ taskMode }) => taskMode !== 'never');
}
