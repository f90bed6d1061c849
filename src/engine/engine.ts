import { TaskError } from '../errors.ts';
import { keepAlive } from '../keep-alive.ts';
import { checkReadable } from '../store/codec/check-readable.ts';
import { withCodec, withSecrets } from '../store/codec/with-codec.ts';
import type { Store } from '../store/contract.ts';
import type { StoreSecrets } from '../store/contracts/secret-contract.ts';
import type { Sessions } from '../store/contracts/session-contract.ts';
import { resolveStoreDirectory } from '../store/sqlite/directory.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { findNearName } from '../text/near-name.ts';
import { toValueText } from '../text/value-text.ts';
import { type Audit, createAudit } from './audit.ts';
import { ChangeRouter } from './change-router.ts';
import { type EngineOptions, type EngineSettings, parseEngineOptions } from './engine-options.ts';
import type { EngineParts } from './engine-parts.ts';
import type { SubmitCall, ToolInputs } from './engine-tools.ts';
import { freeLost } from './holds/free-holds.ts';
import { type HeldTask, makeHolder, toHeldTask } from './holds/held-task.ts';
import { HoldReleases } from './holds/hold-releases.ts';
import type { Submitted } from './intake/created-task.ts';
import { LearnedRuns } from './intake/learned-runs.ts';
import { toRerunRules } from './intake/rerun.ts';
import { submitTask } from './intake/submit.ts';
import { reportForeignStore } from './store-owner.ts';
import { connectTaskClient, type TaskClient, type TaskClientOptions } from './task-client.ts';
import { type ParsedTool, parseTool, type Tool } from './tool.ts';
import { LocalWorkers } from './workers/local-workers.ts';
import { StartReminder } from './workers/start-reminder.ts';
import { findToken, isWorker, type ProgramIdentity, toIdentity } from './workers/worker-process.ts';
import { runAttemptRole, runDetachedRole } from './workers/worker-roles.ts';
import { runServiceRole } from './workers/worker-service.ts';

/** Runs tools as durable tasks. `Inputs` is what its tools are called with, by name: where they are known `submit` takes nothing else. */
export interface Engine<Inputs extends ToolInputs = ToolInputs> extends TaskClient, AsyncDisposable {
  /** Which program this is: only workers of the same identity run its tasks. */
  readonly identity: string;
  /** Where the store lies, if it lies on disk. */
  readonly directory: string | undefined;
  /** What the store remembers of the sessions of HTTP clients. */
  readonly sessions: Sessions;
  /** Keys that all processes on the store share, if they lie there and not in its directory. */
  readonly secrets: StoreSecrets | undefined;
  /**
   * Begins to run tasks and to recover those of dead workers.
   *
   * In a worker process it never returns: the process is the claim loop from here on, and ends by itself.
   */
  start(): Promise<void>;
  /** Adds a tool, or replaces the one of that name: attempts that begin from now on run it. */
  setTool(name: string, tool: Tool<never>): void;
  /** Takes a tool away: nothing more of it can be submitted here, and what waits for it waits until it is there again. */
  removeTool(name: string): void;
  /** Writes a task; it is on disk when this resolves. */
  submit(...call: SubmitCall<Inputs>): Promise<Submitted>;
  /**
   * Waits for a held task again; nothing when somebody else does, or it is not held any more. With the `key` of its hold
   * one whose holder is dead is free at once.
   */
  attend(taskId: string, options: AttendOptions): Promise<HeldTask | undefined>;
  /** Starts the detached worker ahead of the first task, where there is none; it ends when idle as usual. */
  warm(): void;
  /** Resolves when there is a worker that takes what comes: later than at once only while one is being started. */
  whenAtWork(signal: AbortSignal): Promise<void>;
  /** Calls back with each task that begins to run or asks something, in whichever process; until called off. */
  onActivity(listener: (taskId: string) => void): () => void;
  /** Finishes or hands back what this process runs, and lets go of the store. Never cancels a task. */
  close(): Promise<void>;
}

/** How a held task is waited for again. */
export interface AttendOptions extends TaskClientOptions {
  /** How long the task lives when its caller goes away again. */
  readonly graceMs: number;
  /** As the hold of the task tells it. */
  readonly key?: string;
}

/** Opens an engine on a store; call `start` to run tasks in or beside this process. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const settings = parseEngineOptions(options);
  const store = options.store ?? (await openSqliteStore({ name: settings.name, clock: settings.clock }));
  const ownsStore = options.store === undefined;
  const coding = { codec: settings.codec, onError: settings.report };
  const shown = withCodec(store, coding);
  try {
    await checkReadable(shown);
    reportForeignStore(store.directory, settings.report);
    const program = findIdentity(settings, store);
    return toEngine({ ...settings, ...program }, { store: withSecrets(store, coding), shown, ownsStore });
  } catch (error) {
    if (ownsStore) await store.close();
    throw error;
  }
}

function findIdentity({ name, workerEntry, givenIdentity: given }: EngineSettings, store: Store): ProgramIdentity {
  if (given !== undefined) return { identity: given, base: given };
  // Who can be reached from other processes must be the same program to all of them.
  const directory = store.directory ?? (store.heartbeat && resolveStoreDirectory(name));
  return toIdentity({ name, workerEntry, directory });
}

interface EngineStores {
  /** For whoever runs tasks. */
  readonly store: Store;
  /** For whoever looks at them: secrets are masked. */
  readonly shown: Store;
  readonly ownsStore: boolean;
}

function toEngine(settings: EngineSettings & ProgramIdentity, { store, shown, ownsStore }: EngineStores): Engine {
  const { clock, identity, tools, codec, report } = settings;
  const router = new ChangeRouter(store.changes, clock);
  const releases = new HoldReleases({ clock, report });
  const parts: EngineParts = { ...settings, store, router, releases };
  const audit = createAudit(settings.audit, { directory: store.directory, isEncoded: codec !== undefined, report });
  const access = connectTaskClient(shown, { clock, router, identity, audit, rules: toRerunRules(settings) });
  const serving = new LocalWorkers(parts, audit);
  const reminder = new StartReminder(parts);
  const learned = new LearnedRuns(parts);
  const submitting = { ...parts, audit, learned, onCreating: () => serving.onCreating() };
  let closed: Promise<void> | undefined;

  const close = async () => {
    const letGo = keepAlive();
    try {
      await serving.stop();
      await releases.close();
      if (!ownsStore) return;
      await store.close();
      router.ringAll();
    } finally {
      letGo();
    }
  };

  return {
    ...access,
    identity,
    directory: store.directory,
    ...{ sessions: store.sessions, secrets: store.secrets },

    async start() {
      if (closed) throw new TaskError('ENGINE_CLOSED', 'the engine has been closed; open a new one to run tasks');
      reminder.stop();
      await runRole(parts, audit);
      // A worker process was started for one engine; the program's other engines rest.
      if (!isWorker) await serving.start();
    },

    ...toChangeable(tools),

    async submit(name, args, options = {}) {
      if (closed) throw new TaskError('ENGINE_CLOSED', 'the engine has been closed; open a new one to submit tasks');
      const submitted = await submitTask(submitting, findTool(tools, name), { args, options });
      // What was joined may have ended long ago, and needs no worker.
      if (submitted.task.status === 'queued') serving.onRunnable();
      return submitted;
    },

    async attend(taskId, { graceMs, key, ...who }) {
      await access.get(taskId, who);
      if (key !== undefined) await freeLost(store, key);
      const held = { taskId, by: makeHolder(), graceMs, ...(key !== undefined && { key }) };
      return (await store.holds.attend(taskId, held.by)) ? toHeldTask(parts, held) : undefined;
    },

    warm() {
      if (!closed) serving.warm();
    },

    whenAtWork: (signal) => serving.whenAtWork(signal),

    onActivity: (listener) =>
      router.onAny((changes) => {
        for (const { taskId, type } of changes) if (type === 'claimed' || type === 'asked') listener(taskId);
      }),

    outcome: (taskId, options) => reminder.watch(access.outcome(taskId, options)),

    ...toWaking(access, () => serving.onRunnable()),

    close() {
      reminder.stop();
      closed ??= close();
      return closed;
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

/** What this process was started for, which never returns; nothing when nobody started it to run tasks. */
async function runRole(parts: EngineParts, audit: Audit | undefined): Promise<void> {
  const token = findToken(parts.identity);
  if (token?.role === 'detached') await runDetachedRole(parts, token.workerId);
  else if (token?.role === 'attempt') await runAttemptRole(parts, token.newsFd);
  else if (token?.role === 'service') await runServiceRole(parts, audit);
}

/** The verbs after which there may be something to run. */
function toWaking(access: TaskClient, onRunnable: () => void): Pick<Engine, 'answer' | 'rerun'> {
  return {
    async answer(taskId, answers, options) {
      const result = await access.answer(taskId, answers, options);
      if (result.task.status === 'queued') onRunnable();
      return result;
    },
    async rerun(taskId, options) {
      const task = await access.rerun(taskId, options);
      onRunnable();
      return task;
    },
  };
}

function toChangeable(tools: EngineSettings['tools']): Pick<Engine, 'setTool' | 'removeTool'> {
  return {
    setTool: (name, tool) => void tools.set(name, parseTool(name, tool)),
    removeTool: (name) => void tools.delete(name),
  };
}

function findTool(tools: EngineSettings['tools'], name: string): ParsedTool {
  const tool = tools.get(name);
  if (tool) return tool;
  const near = findNearName(String(name), [...tools.keys()]);
  const expected = tools.size > 0 ? `expected ${[...tools.keys()].join(', ')}` : 'this engine has no tools';
  const meant = near === undefined ? '' : ` (did you mean ${near}?)`;
  throw new TaskError('TOOL_NOT_FOUND', `there is no tool ${toValueText(name)}${meant}; ${expected}`);
}
