/**
 * The calls that were made on the page.
 *
 * The host's ledger is the durable record. This adds the updates received since the process started; after a restart, calls are
 * resumed from the ledger. So neither a reload nor a restart loses a call.
 */
import { randomUUID } from 'node:crypto';
import { TaskError } from '../../errors.ts';
import type {
  Call,
  CallOutcome,
  CallRecord,
  CallUpdate,
  Host,
  HostQuestion,
  JsonObject,
  Ledger,
} from '../../host/index.ts';
import { isTaskError } from '../../index.ts';
import type { CallView, OpenQuestion } from './call-view.ts';

export interface CallTrackerOptions {
  readonly ledger: Ledger;
  onChange(call: CallView): void;
  report(error: unknown): void;
}

interface PendingQuestion {
  readonly question: OpenQuestion;
  answer(result: JsonObject): void;
}

interface TrackedCall {
  view: CallView;
  call?: Call;
  readonly asking: Map<string, PendingQuestion>;
}

const MAX_LINES = 400;
const MAX_LINE = 4000;
const MAIN = 'main';

export class CallTracker {
  readonly #options: CallTrackerOptions;
  readonly #calls = new Map<string, TrackedCall>();
  #host: Host | undefined;

  constructor(options: CallTrackerOptions) {
    this.#options = options;
  }

  /** Lists the calls of the ledger, and resumes the pending ones. */
  async open(host: Host): Promise<void> {
    this.#host = host;
    for (const record of await host.calls({ limit: 100_000 })) this.#track(record);
    await this.#resume();
  }

  list(): readonly CallView[] {
    return [...this.#calls.values()].map(({ view }) => view).sort((a, b) => b.createdAt - a.createdAt);
  }

  get(callId: string): CallView {
    return this.#find(callId).view;
  }

  /** Returns the call that a task belongs to. */
  findByTask(taskId: string): string | undefined {
    return [...this.#calls.values()].find(({ view }) => view.taskId === taskId)?.view.callId;
  }

  async call(wanted: {
    server: string;
    tool: string;
    args: JsonObject;
    sessionId?: string | undefined;
  }): Promise<CallView> {
    const { server, tool, args, sessionId = MAIN } = wanted;
    const call = await this.#open().call(server, tool, args, { sessionId });
    const record = await this.#options.ledger.get(call.callId);
    const tracked = this.#track(
      record ?? { callId: call.callId, server, tool, args, owner: '', createdAt: Date.now() },
    );
    this.#follow(tracked, call);
    this.#notify(tracked);
    return tracked.view;
  }

  async cancel(callId: string): Promise<CallView> {
    const tracked = this.#find(callId);
    const call = tracked.call ?? (await this.#resumeOne(callId));
    await call?.cancel('cancelled on the page');
    return tracked.view;
  }

  /** Stops waiting for a call here; the work goes on. */
  detach(callId: string): CallView {
    const tracked = this.#find(callId);
    tracked.call?.detach();
    return tracked.view;
  }

  /** Waits again for a detached call. */
  async attach(callId: string): Promise<CallView> {
    const tracked = this.#find(callId);
    if (tracked.view.state === 'detached') {
      await this.#resume();
      this.#change(tracked, { state: tracked.view.state === 'detached' ? 'pending' : tracked.view.state });
    }
    return tracked.view;
  }

  answer(callId: string, key: string, result: JsonObject): CallView {
    const tracked = this.#find(callId);
    const asking = tracked.asking.get(key);
    if (!asking) throw new TaskError('QUESTION_NOT_OPEN', `question ${JSON.stringify(key)} is not open any more`);
    asking.answer(result);
    return tracked.view;
  }

  /** Resolves with the outcome of a call; rejects with `DETACHED` when the call is detached. */
  async whenEnded(callId: string): Promise<CallOutcome> {
    const { view, call } = this.#find(callId);
    if (view.outcome) return view.outcome;
    if (!call) throw new TaskError('DETACHED', `nobody waits for call ${callId}`);
    return call.outcome();
  }

  /** Shows a server's question to the user of the page, until it is answered or withdrawn. */
  ask({ server, callId, method, params, refusal, signal }: HostQuestion): Promise<JsonObject> {
    const pending = [...this.#calls.values()].filter(({ view }) => view.server === server && view.state === 'pending');
    const tracked = (callId === undefined ? undefined : this.#calls.get(callId)) ?? pending.at(-1);
    if (!tracked) return Promise.resolve({ action: 'cancel' });
    const key = randomUUID();
    const question: OpenQuestion = { key, request: { method, ...(params && { params }) }, ...(refusal && { refusal }) };
    return new Promise((resolve, reject) => {
      const leave = () => {
        signal.removeEventListener('abort', onAbort);
        tracked.asking.delete(key);
        this.#change(tracked, { questions: [...tracked.asking.values()].map((one) => one.question) });
      };
      const onAbort = () => {
        leave();
        reject(signal.reason);
      };
      const answer = (result: JsonObject) => {
        leave();
        resolve(result);
      };
      tracked.asking.set(key, { question, answer });
      signal.addEventListener('abort', onAbort);
      this.#change(tracked, { questions: [...tracked.asking.values()].map((one) => one.question) });
      if (signal.aborted) onAbort();
    });
  }

  #open(): Host {
    if (this.#host) return this.#host;
    throw new TaskError('CONNECT_FAILED', 'the sandbox is still starting its servers; try again in a moment');
  }

  #find(callId: string): TrackedCall {
    const tracked = this.#calls.get(callId);
    if (tracked) return tracked;
    throw new TaskError('CALL_NOT_FOUND', `there is no call ${JSON.stringify(callId)}`);
  }

  async #resume(): Promise<void> {
    for (const call of await this.#open().resume()) {
      const tracked = this.#calls.get(call.callId);
      if (tracked && !tracked.call) this.#follow(tracked, call);
    }
  }

  async #resumeOne(callId: string): Promise<Call | undefined> {
    await this.#resume();
    return this.#find(callId).call;
  }

  #track(record: CallRecord): TrackedCall {
    const { callId, server, tool, args, sessionId = MAIN, createdAt, endedAt, outcome } = record;
    const state = outcome ? 'ended' : 'pending';
    const view: CallView = {
      ...{ callId, server, tool, args, sessionId, createdAt, state, output: [], questions: [] },
      ...(endedAt !== undefined && { endedAt }),
      ...(outcome && { outcome }),
      ...toTaskPart(record),
    };
    const tracked: TrackedCall = { view, asking: new Map() };
    this.#calls.set(callId, tracked);
    return tracked;
  }

  #follow(tracked: TrackedCall, call: Call): void {
    tracked.call = call;
    const { report } = this.#options;
    const followUpdates = async () => {
      for await (const update of call.updates()) this.#applyUpdate(tracked, update);
    };
    const readTask = async () => {
      await call.sent();
      const record = await this.#options.ledger.get(call.callId);
      if (record) this.#change(tracked, toTaskPart(record));
    };
    followUpdates().catch(report);
    readTask().catch(report);
    this.#end(tracked, call).catch(report);
  }

  async #end(tracked: TrackedCall, call: Call): Promise<void> {
    try {
      const outcome = await call.outcome();
      await call.ack();
      const record = await this.#options.ledger.get(call.callId);
      const endedAt = record?.endedAt ?? Date.now();
      this.#change(tracked, { state: 'ended', outcome, endedAt, questions: [], ...(record && toTaskPart(record)) });
    } catch (error) {
      delete tracked.call;
      if (!isTaskError(error, 'DETACHED')) throw error;
      this.#change(tracked, { state: 'detached', questions: [] });
    }
  }

  #applyUpdate(tracked: TrackedCall, update: CallUpdate): void {
    const part = toPart(update);
    if (part) this.#change(tracked, part);
    else if (update.type === 'text') {
      const lines = update.text.split('\n').map((line) => line.slice(0, MAX_LINE));
      this.#change(tracked, { output: [...tracked.view.output, ...lines].slice(-MAX_LINES) });
    }
  }

  #change(tracked: TrackedCall, part: Partial<CallView>): void {
    tracked.view = { ...tracked.view, ...part };
    this.#notify(tracked);
  }

  #notify({ view }: TrackedCall): void {
    this.#options.onChange(view);
  }
}

function toTaskPart({ handle }: CallRecord): Pick<CallView, 'taskId' | 'dialect'> {
  if (!handle) return {};
  const { taskId, dialect } = handle;
  return { dialect, ...(typeof taskId === 'string' && { taskId }) };
}

/** Returns the part of the call's state that an update changes; undefined for updates that change none. */
function toPart(update: CallUpdate): Partial<CallView> | undefined {
  switch (update.type) {
    case 'progress': {
      const { type: _type, ...progress } = update;
      return { progress, note: '' };
    }
    case 'status':
      return update.message === undefined ? undefined : { note: update.message };
    case 'estimate':
      return { estimateMs: update.estimateMs };
    case 'unreachable':
      return { note: `${update.server} is away (tried ${update.tries} times): ${update.reason}` };
    case 'unconnected':
      return { note: `${update.server} is not connected` };
    case 'text':
    case 'gap':
    case 'missed':
    case 'question':
    case 'answered':
      return undefined;
  }
}
