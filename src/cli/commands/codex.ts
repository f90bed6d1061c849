import { join, resolve } from 'node:path';
import { type CodexOptions, SANDBOXES } from '../../apps/codex/codex-options.ts';
import { CODEX_NAME, openCodexServer } from '../../apps/codex/codex-server.ts';
import { readCodexConfig } from '../../apps/codex/config-file.ts';
import { TaskError } from '../../errors.ts';
import { resolveStoreDirectory } from '../../store/sqlite/directory.ts';
import type { OptionValues } from '../options.ts';
import { parsePort, serveApp } from '../serve-app.ts';
import type { Terminal } from '../terminal.ts';

export interface CodexCommand {
  readonly values: OptionValues;
  readonly terminal: Terminal;
  readonly version: string;
}

/** Serves Codex. The command line comes before the config file, and both before the environment. */
export async function serveCodex({ values, terminal, version }: CodexCommand): Promise<number> {
  const port = parsePort(values);
  const codex = toOptions(values);
  const { 'data-dir': dataDir, 'require-task-id': requireTaskId = false } = values;
  if (dataDir === '') throw new TaskError('USAGE', '--data-dir is ""; legal is the path of a directory');
  await using server = await openCodexServer({ version, codex, requireTaskId, ...(dataDir && { dataDir }) });
  return await serveApp(server, port, terminal);
}

function toOptions({ codex, sandbox, model, config }: OptionValues): CodexOptions {
  const file = config ?? join(resolveStoreDirectory(CODEX_NAME), 'codex.json');
  const fromFile = readCodexConfig(file, { mustExist: config !== undefined });
  const command = codex ?? fromFile.codexCommand ?? process.env.HOLDFAST_CODEX;
  return {
    ...fromFile,
    ...(command && { codexCommand: toCommand(command) }),
    ...(sandbox !== undefined && { sandboxMode: parseSandbox(sandbox) }),
    ...(model !== undefined && { model: parseModel(model) }),
  };
}

// A path is meant from where the server was started, not from where Codex works.
function toCommand(command: string): string {
  return command.includes('/') ? resolve(command) : command;
}

function parseSandbox(text: string): (typeof SANDBOXES)[number] {
  const mode = SANDBOXES.find((one) => one === text);
  if (mode !== undefined) return mode;
  throw new TaskError('USAGE', `--sandbox is ${JSON.stringify(text)}; legal are ${SANDBOXES.join(', ')}`);
}

function parseModel(text: string): string {
  if (text.trim() !== '') return text;
  throw new TaskError('USAGE', '--model is ""; legal is the name of a model');
}
