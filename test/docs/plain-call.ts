/** A client that knows nothing of tasks and has little patience. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Desk } from './open-desk.ts';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** Starts a server the way a client does that was told its command. */
export async function connect({ command, args }: Command, { folder, env }: Desk): Promise<Client> {
  const client = new Client({ name: 'cursor-vscode', version: '1.0.0' });
  const given = Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => !!entry[1]));
  await client.connect(new StdioClientTransport({ command, args: [...args], env: given, cwd: folder }));
  return client;
}

/** What its model is told while the work takes longer than it waits; then the work is stopped. */
export async function handOver(desk: Desk): Promise<string> {
  const config = join(desk.folder, 'impatient.json');
  await writeFile(config, JSON.stringify({ profiles: { cursor: { giveUpMs: 8000 } } }));
  // A store of its own: the reader has not called anything yet.
  const store = join(desk.folder, 'impatient');
  const impatient = { ...desk, env: { ...desk.env, HOLDFAST_CONFIG: config, HOLDFAST_DIR: store } };
  const client = await connect({ command: 'node', args: ['reports.mjs'] }, impatient);
  try {
    let words = await call(client, 'render_report', { pages: 60 });
    // On a busy machine the first answer may come before the first page: it is waited for as the words say.
    while (!/\d % done .* left\./.test(words)) words = await call(client, 'task_wait', toArguments(words));
    await call(client, 'task_cancel', { task_id: toArguments(words).task_id });
    return words;
  } finally {
    await client.close();
  }
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return (content as { text: string }[]).map(({ text }) => text).join('\n');
}

/** The arguments that a hand-over tells the model to wait with. */
function toArguments(words: string): Record<string, unknown> {
  const [, json] = /with (\{.*?\})/.exec(words) ?? [];
  if (json === undefined) throw new Error(`not a hand-over: ${words}`);
  return JSON.parse(json);
}
