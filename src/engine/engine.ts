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
import { createHolderId, type HeldTask, toHeldTask } from './holds/held-task.ts';
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

/**
 * Runs tools as durable tasks. `Inputs` are the arguments of its tools, by name; where they are known, `submit` accepts
 * nothing else.
 */
export interface Engine<Inputs extends ToolInputs = ToolInputs> extends TaskClient, AsyncDisposable {
  /** The identity of the program: only workers of the same identity run its tasks. */
  readonly identity: string;
  /** The directory of the store, if it is on disk. */
  readonly directory: string | undefined;
  /** The store's record of the sessions of HTTP clients. */
  readonly sessions: Sessions;
  /** Keys that all processes on the store share, if they are in the store itself and not in its directory. */
  readonly secrets: StoreSecrets | undefined;
  /**
   * Starts to run tasks and to recover those of dead workers.
   *
   * In a worker process it never returns: the process is the claim loop from here on, and exits by itself.
   */
  start(): Promise<void>;
  /** Adds a tool, or replaces the tool of that name: attempts that start from now on run it. */
  setTool(name: string, tool: Tool<never>): void;
  /** Removes a tool: it cannot be submitted here any more, and tasks that wait for it wait until it is added again. */
  removeTool(name: string): void;
  /** Writes a task; it is on disk when this resolves. */
  submit(...call: SubmitCall<Inputs>): Promise<Submitted>;
  /**
   * Waits for a held task again; `undefined` when another caller waits for it, or when it is not held any more. With the
   * `key` of its hold, a task whose holder is dead is freed at once.
   */
  attend(taskId: string, options: AttendOptions): Promise<HeldTask | undefined>;
  /** Starts the detached worker ahead of the first task, unless there is one; it exits when idle as usual. */
  warm(): void;
  /** Resolves when a worker is ready to claim tasks: at once, unless a worker is still being started. */
  whenAtWork(signal: AbortSignal): Promise<void>;
  /**
   * Calls the listener for each task that starts to run or asks something, in any process. Returns a function that
   * unsubscribes.
   */
  onActivity(listener: (taskId: string) => void): () => void;
  /** Finishes or hands back what this process runs, and releases the store. Never cancels a task. */
  close(): Promise<void>;
}

/** How to wait for a held task again. */
export interface AttendOptions extends TaskClientOptions {
  /** How long the task lives after its caller has disconnected again. */
  readonly graceMs: number;
  /** The key of the task's hold. */
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
  // A program that other processes can reach through the store must have the same identity in all of them.
  const directory = store.directory ?? (store.heartbeat && resolveStoreDirectory(name));
  return toIdentity({ name, workerEntry, directory });
}

interface EngineStores {
  /** For code that runs tasks: secrets are readable. */
  readonly store: Store;
  /** For code that shows tasks: secrets are masked. */
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
    const stopKeepingAlive = keepAlive();
    try {
      await serving.stop();
      await releases.close();
      if (!ownsStore) return;
      await store.close();
      router.wakeAll();
    } finally {
      stopKeepingAlive();
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
      // A worker process was started for one engine; the program's other engines do not run there.
      if (!isWorker) await serving.start();
    },

    ...toChangeable(tools),

    async submit(name, args, options = {}) {
      if (closed) throw new TaskError('ENGINE_CLOSED', 'the engine has been closed; open a new one to submit tasks');
      const submitted = await submitTask(submitting, findTool(tools, name), { args, options });
      // A joined task may have ended long ago, and needs no worker.
      if (submitted.task.status === 'queued') serving.onRunnable();
      return submitted;
    },

    async attend(taskId, { graceMs, key, ...who }) {
      await access.get(taskId, who);
      if (key !== undefined) await freeLost(store, key);
      const held = { taskId, by: createHolderId(), graceMs, ...(key !== undefined && { key }) };
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

/** Runs the role that this process was spawned for, and then never returns; returns at once in any other process. */
async function runRole(parts: EngineParts, audit: Audit | undefined): Promise<void> {
  const token = findToken(parts.identity);
  if (token?.role === 'detached') await runDetachedRole(parts, token.workerId);
  else if (token?.role === 'attempt') await runAttemptRole(parts, token.newsFd);
  else if (token?.role === 'service') await runServiceRole(parts, audit);
}

/** The methods after which a task may be ready to run. */
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
