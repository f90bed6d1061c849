/** The sandbox's prompt log: lists pending prompts and their responses, and writes answers. */
import { type FSWatcher, mkdirSync, watch } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  createPromptLog,
  explainWait,
  LEGACY_PREFIX,
  LOG_NAME,
  type RequestEntry,
  type ResponseEntry,
  type WaitExplanation,
} from '../../dialects/ui-prompts/index.ts';
import { visitEntries } from '../../dialects/ui-prompts/log/log-entries.ts';
import { listSiblings } from '../../dialects/ui-prompts/log/log-history.ts';
import { readPlugin } from '../../dialects/ui-prompts/plugin.ts';
import { parseAnswer, parseCancel } from '../../dialects/ui-prompts/prompt/answer.ts';
import { maskSecrets, withoutSecrets } from '../../dialects/ui-prompts/prompt/secrets.ts';
import { TaskError } from '../../errors.ts';
import type { JsonObject } from '../../host/index.ts';
import type { Json } from '../../index.ts';

export interface PromptLogViewOptions {
  readonly stateDir: string;
  readonly pluginDir?: string | undefined;
  onChange(): void;
}

/** One prompt and its response, with secrets masked. */
export interface ListedPrompt {
  readonly requestId: string;
  readonly ts: string;
  readonly prompt: JsonObject;
  readonly answeredAt?: string;
  readonly response?: JsonObject;
}

const GATHER_MS = 100;

export class PromptLogView {
  readonly path: string;
  readonly #options: PromptLogViewOptions;
  #watcher: FSWatcher | undefined;
  #gathering: NodeJS.Timeout | undefined;

  constructor(options: PromptLogViewOptions) {
    this.#options = options;
    this.path = join(options.stateDir, LOG_NAME);
    mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
    this.#watcher = watch(options.stateDir, { persistent: false }, () => this.#onFile());
    this.#watcher.on('error', () => this.#watcher?.close());
  }

  /** Returns the paths in use, with the names of the AsyncTask contract. */
  async readPaths(): Promise<Readonly<Record<string, string>>> {
    const { stateDir, pluginDir } = this.#options;
    const workdir = process.cwd();
    return {
      workdir,
      dataDir: await findDataDir(stateDir, pluginDir),
      pluginDir: pluginDir === undefined ? '' : resolve(pluginDir),
      stateDir,
      uiPromptsFile: this.path,
      sessionRoot: workdir,
      projectRoot: workdir,
    };
  }

  /** Lists prompts, newest first. */
  async list(): Promise<{ readonly prompts: readonly ListedPrompt[]; readonly skippedLines: number }> {
    const requests = new Map<string, RequestEntry>();
    const responses = new Map<string, ResponseEntry>();
    const skippedLines = await visitEntries(this.path, {
      visit(entry) {
        if (entry.action === 'request') requests.set(entry.requestId, entry);
        // An app acts on the first response only.
        else if (!responses.has(entry.requestId)) responses.set(entry.requestId, entry);
      },
    });
    const prompts = [...requests.values()].map((request) => toListed(request, responses.get(request.requestId)));
    return { prompts: prompts.sort((a, b) => (a.ts < b.ts ? 1 : -1)), skippedLines };
  }

  /** Writes a person's answer in the same way as the log's own writer. */
  async respond(requestId: string, answer: Json | undefined): Promise<void> {
    const log = createPromptLog({ path: this.path });
    const pending = (await log.pending()).find((entry) => entry.requestId === requestId);
    if (!pending) throw new TaskError('QUESTION_NOT_OPEN', `no prompt ${JSON.stringify(requestId)} is pending`);
    const response = answer === undefined ? parseCancel(pending.prompt) : parseAnswer(pending.prompt, answer);
    if (!(await log.respond(requestId, response)))
      throw new TaskError('QUESTION_NOT_OPEN', `prompt ${JSON.stringify(requestId)} was answered meanwhile`);
  }

  explain(taskId: string): Promise<WaitExplanation> {
    return explainWait(this.path, { taskId, requestIdPrefix: LEGACY_PREFIX });
  }

  /** Renames the log while processes write and read it, as logrotate does; returns the new path. */
  async rotate(): Promise<string> {
    const siblings = await listSiblings(this.path);
    const moved = `${this.path}.${(siblings.at(-1)?.number ?? 0) + 1}`;
    try {
      await rename(this.path, moved);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new TaskError('INVALID_ARGUMENT', 'there is no log yet; begin an AsyncTask Test, and try again');
    }
    await writeFile(this.path, '', { flag: 'a', mode: 0o600 });
    return moved;
  }

  close(): void {
    clearTimeout(this.#gathering);
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #onFile(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#options.onChange();
    }, GATHER_MS);
    this.#gathering.unref();
  }
}

function toListed({ requestId, ts, prompt }: RequestEntry, answered: ResponseEntry | undefined): ListedPrompt {
  const shown = { requestId, ts, prompt: withoutSecrets(prompt) };
  if (answered === undefined) return shown;
  return { ...shown, answeredAt: answered.ts, response: maskSecrets(answered.response, prompt) };
}

/** Returns the plugin's data directory. A plugin that cannot be read is reported where it is connected. */
async function findDataDir(stateDir: string, pluginDir: string | undefined): Promise<string> {
  const all = join(stateDir, 'ui_apps', 'data');
  if (pluginDir === undefined) return all;
  return readPlugin(pluginDir, { stateDir }).then(
    ({ dataDir }) => dataDir,
    () => all,
  );
}
