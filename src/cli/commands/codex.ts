import { join, resolve } from 'node:path';
import { type CodexOptions, SANDBOXES } from '../../apps/codex/codex-options.ts';
import { CODEX_NAME, openCodexServer } from '../../apps/codex/codex-server.ts';
import { readCodexConfig } from '../../apps/codex/config-file.ts';
import { TaskError } from '../../errors.ts';
import { resolveStoreDirectory } from '../../store/sqlite/directory.ts';
import type { OptionValues } from '../command-line/options.ts';
import { parseListening, serveApp } from '../serve-app.ts';
import { toPromptRoots } from '../stores/state-dir.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface CodexCommand {
  readonly values: OptionValues;
  readonly terminal: Terminal;
  readonly version: string;
  /** What runs may not write to beside what the app keeps. */
  readonly guarded?: readonly string[];
}

/** Serves Codex. The command line comes before the config file, and both before the environment. */
export async function serveCodex(command: CodexCommand): Promise<number> {
  const { values, terminal, version, guarded = [] } = command;
  const listening = parseListening(values);
  const config = resolve(values.config ?? join(resolveStoreDirectory(CODEX_NAME), 'codex.json'));
  const codex = toOptions(values, readCodexConfig(config, { mustExist: values.config !== undefined }));
  const { 'data-dir': dataDir, 'require-task-id': requireTaskId = false } = values;
  if (dataDir === '') throw new TaskError('USAGE', '--data-dir is ""; expected the path of a directory');
  await using server = await openCodexServer({
    version,
    codex,
    requireTaskId,
    guarded: [config, ...guarded],
    ...(dataDir && { dataDir }),
    ...toPromptRoots(values),
  });
  return await serveApp(server, listening, terminal);
}

function toOptions({ codex, root = [], sandbox, model }: OptionValues, fromFile: CodexOptions): CodexOptions {
  const command = codex ?? fromFile.codexCommand ?? process.env.HOLDFAST_CODEX;
  return {
    ...fromFile,
    roots: [...(fromFile.roots ?? []), ...root.map(parseRoot)],
    ...(command && { codexCommand: command }),
    ...(sandbox !== undefined && { sandboxMode: parseSandbox(sandbox) }),
    ...(model !== undefined && { model: parseModel(model) }),
  };
}

function parseRoot(text: string): string {
  if (text !== '') return resolve(text);
  throw new TaskError('USAGE', '--root is ""; expected the path of a directory');
}

function parseSandbox(text: string): (typeof SANDBOXES)[number] {
  const mode = SANDBOXES.find((one) => one === text);
  if (mode !== undefined) return mode;
  throw new TaskError('USAGE', `--sandbox is ${JSON.stringify(text)}; expected ${SANDBOXES.join(', ')}`);
}

function parseModel(text: string): string {
  if (text.trim() !== '' && !text.startsWith('-')) return text;
  throw new TaskError('USAGE', `--model is ${JSON.stringify(text)}; expected the name of a model`);
}
