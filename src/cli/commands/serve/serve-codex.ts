import { join, resolve } from 'node:path';
import type { CodexOptions } from '../../../apps/codex/codex-options.ts';
import { CODEX_NAME, openCodexServer } from '../../../apps/codex/codex-server.ts';
import { readCodexConfig } from '../../../apps/codex/config-file.ts';
import { resolveStoreDirectory } from '../../../store/sqlite/directory.ts';
import { toPromptRoots } from '../../stores/state-dir.ts';
import { readVersion } from '../../version.ts';
import { serveApp, toListening } from './serve-app.ts';
import type { CodexContext } from './serve-commands.ts';

export interface CodexCommand extends Pick<CodexContext, 'values' | 'terminal'> {
  /** Paths that runs may not write to, in addition to the app's own data. */
  readonly guarded?: readonly string[];
}

/** Serves Codex. The command line overrides the config file, and both override the environment. */
export async function serveCodex(command: CodexCommand): Promise<number> {
  const { values, terminal, guarded = [] } = command;
  const listening = toListening(values);
  const config = resolve(values.config ?? join(resolveStoreDirectory(CODEX_NAME), 'codex.json'));
  const codex = toOptions(values, readCodexConfig(config, { mustExist: values.config !== undefined }));
  const { 'data-dir': dataDir, 'require-task-id': requireTaskId = false } = values;
  await using server = await openCodexServer({
    version: readVersion(),
    codex,
    requireTaskId,
    guarded: [config, ...guarded],
    ...(dataDir && { dataDir }),
    ...toPromptRoots(values),
  });
  return await serveApp(server, listening, terminal);
}

function toOptions({ codex, root = [], sandbox, model }: CodexContext['values'], fromFile: CodexOptions): CodexOptions {
  const command = codex ?? fromFile.codexCommand ?? process.env.HOLDFAST_CODEX;
  return {
    ...fromFile,
    roots: [...(fromFile.roots ?? []), ...root],
    ...(command && { codexCommand: command }),
    ...(sandbox !== undefined && { sandboxMode: sandbox }),
    ...(model !== undefined && { model }),
  };
}
