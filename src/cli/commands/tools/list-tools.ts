import { createHost, type HostTool } from '../../../host/index.ts';
import { isObject } from '../../../is-object.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import { listEntries } from '../../servers/config-files.ts';
import { findServer } from '../../servers/find-server.ts';
import { toTable } from '../../terminal/format.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { ToolsContext } from './tools-commands.ts';

/** Lists the tools of a server; without a server, lists the servers named in config files here and in parent directories. */
export async function listTools({ args, rest, values, terminal }: ToolsContext): Promise<number> {
  const [server] = args;
  const ways = { ...values, server, command: rest };
  const isAny = [server, values.url, values.plugin, rest[0]].some((way) => way !== undefined);
  if (!isAny) return listServers(terminal);
  const { spec } = await findServer(ways, { terminal, isTrusted: values.trust === true });
  await using host = await createHost({});
  await host.connect('server', spec);
  const tools = await host.tools('server');
  if (terminal.json) for (const tool of tools) terminal.printJson(tool);
  else printTools(tools, terminal);
  return 0;
}

function listServers(terminal: Terminal): number {
  const servers = listEntries();
  if (terminal.json) for (const server of servers) terminal.printJson(server);
  else if (servers.length === 0) {
    terminal.remark('no holdfast.json or .mcp.json here or above names a server; try: holdfast tools -- COMMAND…');
  } else {
    const rows = servers.map(({ name, path }) => [toPlainText(name), toPlainText(path)]);
    for (const line of toTable(['SERVER', 'FILE'], rows)) terminal.print(line);
    terminal.remark('holdfast tools SERVER lists the tools of one');
  }
  return 0;
}

function printTools(tools: readonly HostTool[], terminal: Terminal): void {
  if (tools.length === 0) terminal.remark('the server has no tools');
  for (const tool of tools) {
    const name = terminal.paint('bold', toPlainText(String(tool.name)));
    terminal.print(`${name}${toPlainText(toArguments(tool.inputSchema))}`);
    if (typeof tool.description === 'string') terminal.print(`    ${toPlainText(toFirstLine(tool.description))}`);
  }
}

/** `(year: integer, label?: string)`; the rest of the schema is in `--json`. */
function toArguments(schema: unknown): string {
  const { properties, required } = isObject(schema) ? schema : {};
  if (!isObject(properties)) return '';
  const must = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties).map(([name, field]) => {
    return `${name}${must.includes(name) ? '' : '?'}: ${toTypeText(field)}`;
  });
  return fields.length === 0 ? '' : ` (${fields.join(', ')})`;
}

function toTypeText(field: unknown): string {
  const { type, enum: choices, items } = isObject(field) ? field : {};
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join('|');
  if (type === 'array') return `${toTypeText(items)}[]`;
  return typeof type === 'string' ? type : 'any';
}

const MAX_DESCRIPTION = 200;

function toFirstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION - 1)}…` : line;
}
