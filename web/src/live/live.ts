/**
 * The state that the server has sent, kept up to date by its stream of events (SSE).
 *
 * On reconnect the browser sends the id of the last event, and the server resumes after it. If it cannot, it sends `reset`,
 * and everything is read again.
 */
import type { TaskSummary } from '../../../src/dashboard/task-summary.ts';
import type { CallView } from '../../../src/sandbox/calls/call-view.ts';
import type { SandboxServer } from '../../../src/sandbox/sandbox-servers.ts';
import type { StoryState } from '../../../src/sandbox/story.ts';
import { get } from './api.ts';

/** What the page can do here. */
export interface Features {
  readonly now: number;
  readonly mode?: 'sandbox' | 'dashboard';
  readonly version?: string;
  readonly isDemo?: boolean;
  readonly directory?: string;
}

export type Link = 'connecting' | 'open' | 'lost' | 'refused';

interface Topics {
  task: TaskSummary;
  tasks: undefined;
  prompts: undefined;
  run: { readonly runId: string };
}

type Listener<T> = (data: T) => void;

/** An event of the stream. */
interface StreamEvent {
  readonly type: string;
  readonly data?: string;
}

/** The key of the story in these sets of reported ids; calls are in them by id. */
const STORY = 'story';

class Live {
  features: Features | undefined;
  link: Link = 'connecting';
  readonly calls = new Map<string, CallView>();
  readonly tasks = new Map<string, TaskSummary>();
  servers: readonly SandboxServer[] = [];
  story: StoryState = { step: 'idle' };
  /** How far the server's clock is ahead of this one. */
  skewMs = 0;
  readonly #renders = new Set<() => void>();
  readonly #topics = new Map<keyof Topics, Set<Listener<never>>>();
  /** Ids reported by events since a full read began, one set for each read in progress: events are newer than what is read. */
  readonly #pendingReloads = new Set<Set<string>>();
  #source: EventSource | undefined;
  #isWaiting = false;

  /** Subscribes to the events. */
  async open(): Promise<void> {
    if (this.#source) return;
    const source = new EventSource('./api/events');
    this.#source = source;
    source.onopen = () => this.#setLink('open');
    source.onerror = () => this.#setLink(source.readyState === EventSource.CLOSED ? 'refused' : 'lost');
    const on = (type: string, take: (data: never) => void) =>
      source.addEventListener(type, ({ data = 'null' }: StreamEvent) => take(JSON.parse(data) as never));
    on('reset', () => void this.reload());
    on('task', (task: TaskSummary) => this.#takeTask(task));
    on('many', () => this.emit('tasks', undefined));
    on('call', (call: CallView) => {
      this.#noteUpdate(call.callId);
      this.calls.set(call.callId, call);
      this.changed();
    });
    on('servers', () => void this.#readServers());
    on('story', (story: StoryState) => {
      this.#noteUpdate(STORY);
      this.story = story;
      this.changed();
    });
    on('prompts', () => this.emit('prompts', undefined));
    on('run', (run: Topics['run']) => this.emit('run', run));
  }

  /** Reads everything again. */
  async reload(): Promise<void> {
    const updatedIds = new Set<string>();
    this.#pendingReloads.add(updatedIds);
    try {
      const features = await get<Features>('state');
      this.learnTime(features.now);
      this.features = features;
      this.tasks.clear();
      if (features.mode === 'sandbox') await this.#readSandbox(features, updatedIds);
    } finally {
      this.#pendingReloads.delete(updatedIds);
    }
    this.emit('tasks', undefined);
    this.emit('prompts', undefined);
    this.changed();
  }

  learnTime(now: number): void {
    this.skewMs = now - Date.now();
  }

  /** The server's current time. */
  now(): number {
    return Date.now() + this.skewMs;
  }

  /** Returns the task that was read, or its version from an event if that is newer. */
  newest(task: TaskSummary): TaskSummary {
    const known = this.tasks.get(task.taskId);
    return known !== undefined && known.lastSeq > task.lastSeq ? known : task;
  }

  onRender(render: () => void): () => void {
    this.#renders.add(render);
    return () => this.#renders.delete(render);
  }

  on<Topic extends keyof Topics>(topic: Topic, listener: Listener<Topics[Topic]>): () => void {
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners.add(listener as Listener<never>));
    return () => listeners.delete(listener as Listener<never>);
  }

  emit<Topic extends keyof Topics>(topic: Topic, data: Topics[Topic]): void {
    for (const listener of this.#topics.get(topic) ?? []) listener(data as never);
  }

  /** Re-renders, once for all changes of the next 30 ms. */
  changed(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      for (const render of [...this.#renders]) render();
    }, 30);
  }

  #setLink(link: Link): void {
    this.link = link;
    this.changed();
  }

  #takeTask(task: TaskSummary): void {
    this.tasks.set(task.taskId, task);
    this.emit('task', task);
    this.changed();
  }

  #noteUpdate(what: string): void {
    for (const updatedIds of this.#pendingReloads) updatedIds.add(what);
  }

  async #readSandbox({ isDemo }: Features, updatedIds: ReadonlySet<string>): Promise<void> {
    const [{ calls }, story] = await Promise.all([
      get<{ calls: readonly CallView[] }>('calls'),
      isDemo ? get<StoryState>('story') : this.story,
      this.#readServers(),
    ]);
    for (const callId of this.calls.keys()) if (!updatedIds.has(callId)) this.calls.delete(callId);
    for (const call of calls) if (!updatedIds.has(call.callId)) this.calls.set(call.callId, call);
    if (!updatedIds.has(STORY)) this.story = story;
    await this.#readTasksOf(calls);
  }

  /** A pending call is shown with its task's data, which is more detailed. */
  async #readTasksOf(calls: readonly CallView[]): Promise<void> {
    const pending = calls.some(({ state, taskId }) => state !== 'ended' && taskId !== undefined);
    if (!pending) return;
    const { tasks } = await get<{ tasks: readonly TaskSummary[] }>('tasks?limit=500');
    for (const task of tasks) this.tasks.set(task.taskId, this.newest(task));
  }

  async #readServers(): Promise<void> {
    const { servers } = await get<{ servers: readonly SandboxServer[] }>('servers');
    this.servers = servers;
    this.changed();
  }
}

/** The single instance of this page. */
export const live = new Live();
