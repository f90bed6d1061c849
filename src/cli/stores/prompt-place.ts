/** Finds the prompt log that a command line names, and the request id prefix of results in it. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseAsyncTask } from '../../dialects/shared/async-task.ts';
import { prepareUiPrompts } from '../../dialects/ui-prompts/host-prepare.ts';
import { toOwnLogDirectory } from '../../dialects/ui-prompts/log/own-log.ts';
import { readPlugin } from '../../dialects/ui-prompts/plugin.ts';
import { LEGACY_PREFIX, LOG_NAME } from '../../dialects/ui-prompts/wire.ts';
import { LOCAL } from '../../engine/task-client.ts';
import { TaskError } from '../../errors.ts';
import type { CallsValues, PromptsValues } from '../command-line/shared-options.ts';
import { checkLedger } from './check-ledger.ts';
import { toDatabasePath } from './open-store.ts';
import { toLedgerPath, toStateDir } from './state-dir.ts';

/** The options that name a prompt log. */
type PlaceValues = PromptsValues & Pick<CallsValues, 'ledger'>;

export interface PromptPlace {
  readonly path: string;
  readonly requestIdPrefix: string;
}

/** The prompt log that the options name; without any, the one beside the ledger. */
export async function findPlace(values: PlaceValues): Promise<PromptPlace> {
  const { file, plugin, app } = values;
  if (isOfServer(values)) return { path: toServerLog(values), requestIdPrefix: LEGACY_PREFIX };
  if (file !== undefined && (plugin !== undefined || values['state-dir'] !== undefined)) {
    throw new TaskError('USAGE', 'give --file, or --state-dir and --plugin, not both');
  }
  if (app !== undefined && plugin === undefined) throw new TaskError('USAGE', '--app names an app of --plugin DIR');
  if (file !== undefined) return { path: resolve(file), requestIdPrefix: LEGACY_PREFIX };
  const stateDir = toStateDir(values);
  if (plugin !== undefined) return readPlace(resolve(plugin), { stateDir, ...(app !== undefined && { appId: app }) });
  return { path: join(stateDir, LOG_NAME), requestIdPrefix: LEGACY_PREFIX };
}

function isOfServer({ store, name, principal }: PlaceValues): boolean {
  return store !== undefined || name !== undefined || principal !== undefined;
}

/** The log, beside the server's store, of a principal whose calls name no directory. */
function toServerLog(values: PlaceValues): string {
  const other = (['file', 'state-dir', 'plugin'] as const).find((option) => values[option] !== undefined);
  if (other !== undefined) throw new TaskError('USAGE', `give --store or --name, or --${other}, not both`);
  const { principal = LOCAL } = values;
  return join(toOwnLogDirectory(dirname(resolve(toDatabasePath(values))), principal), LOG_NAME);
}

/** The log in which the ledger says a call's result appears, unless the options name one. */
export async function findPlaceOfCall(taskId: string, values: PlaceValues): Promise<PromptPlace> {
  const isNamed = values.file !== undefined || values.plugin !== undefined || values['state-dir'] !== undefined;
  if (isOfServer(values)) return findPlace(values);
  const ledgerPath = toLedgerPath(values);
  if (isNamed || !existsSync(ledgerPath)) return findPlace(values);
  checkLedger(ledgerPath);
  const { openSqliteLedger } = await import('../../host/index.ts');
  const ledger = openSqliteLedger({ path: ledgerPath });
  try {
    const handle = (await ledger.get(taskId))?.handle;
    if (handle?.dialect !== 'ui-prompts') return await findPlace(values);
    return { path: String(handle.log), requestIdPrefix: String(handle.requestIdPrefix) };
  } finally {
    await ledger.close();
  }
}

/** Throws if there is no log: a mistyped path must not look like an empty log. */
export function checkLog({ path }: PromptPlace): void {
  if (existsSync(path)) return;
  const expected = 'expected: --file FILE, --state-dir DIR, --plugin DIR or --name NAME of a log that is there';
  throw new TaskError('STORE_NOT_FOUND', `there is no log of prompts at ${path}; ${expected}`);
}

async function readPlace(dir: string, options: { stateDir: string; appId?: string }): Promise<PromptPlace> {
  const { callMeta } = await readPlugin(dir, options);
  const config = parseAsyncTask(callMeta.asyncTask ?? {});
  const { handle } = await prepareUiPrompts(config, { tool: '', taskId: '', meta: callMeta }, options);
  return { path: handle.log, requestIdPrefix: handle.requestIdPrefix };
}
