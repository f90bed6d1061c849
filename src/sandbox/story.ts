/** The demo story, started with one button: a call whose worker is killed while it runs, and which still returns its result. */
import type { Route } from '../dashboard/http/route.ts';
import { TaskError } from '../errors.ts';
import { OPERATOR, type TaskClient } from '../index.ts';
import type { CallTracker } from './calls/call-tracker.ts';
import type { Faults } from './faults/faults.ts';

export interface StoryState {
  readonly step: 'idle' | 'calling' | 'working' | 'killed' | 'taken-up' | 'done' | 'failed';
  readonly callId?: string;
  readonly taskId?: string;
  readonly pid?: number;
  readonly newWorker?: string;
  readonly attempt?: number;
  readonly problem?: string;
}

export interface StoryOptions {
  readonly calls: CallTracker;
  readonly client: TaskClient;
  readonly faults: Faults;
  readonly server: string;
  onChange(state: StoryState): void;
}

const TOOL = 'sleep';
const WORK_MS = 12_000;
const KILLED_AT = 0.25;

export class Story {
  readonly #options: StoryOptions;
  #state: StoryState = { step: 'idle' };

  constructor(options: StoryOptions) {
    this.#options = options;
  }

  get state(): StoryState {
    return this.#state;
  }

  /** Starts the story; each step is reported as it happens. */
  play(): StoryState {
    const { step } = this.#state;
    if (step !== 'idle' && step !== 'done' && step !== 'failed')
      throw new TaskError('INVALID_ARGUMENT', 'the story is being played; wait for its end');
    this.#state = { step: 'idle' };
    this.#play().catch((error: unknown) => {
      this.#setState({ step: 'failed', problem: error instanceof Error ? error.message : String(error) });
    });
    return this.#state;
  }

  async #play(): Promise<void> {
    const { calls, client, faults, server } = this.#options;
    this.#setState({ step: 'calling' });
    const args = { ms: WORK_MS, note: 'outlived its worker' };
    const { callId } = await calls.call({ server, tool: TOOL, args, sessionId: 'main' });
    this.#setState({ callId });
    const taskId = await this.#findTask(callId);
    this.#setState({ step: 'working', taskId });
    const before = await this.#whenTask(taskId, ({ progress }) => (progress?.value ?? 0) >= KILLED_AT);
    const { pid } = await faults.make('kill-worker');
    this.#setState({ step: 'killed', ...(pid !== undefined && { pid }) });
    const after = await this.#whenTask(taskId, ({ fence }) => fence > before.fence);
    this.#setState({ step: 'taken-up', attempt: after.attempt, ...(after.worker && { newWorker: after.worker }) });
    await client.outcome(taskId, { principal: OPERATOR });
    this.#setState({ step: 'done' });
  }

  /** Waits for the task of a call to be known. */
  async #findTask(callId: string): Promise<string> {
    for (;;) {
      const { taskId, state } = this.#options.calls.get(callId);
      if (taskId !== undefined) return taskId;
      if (state !== 'pending') throw new TaskError('TASK_NOT_FOUND', 'the call ended before it became a task');
      await pause();
    }
  }

  async #whenTask(taskId: string, isThere: (task: Awaited<ReturnType<TaskClient['get']>>) => boolean) {
    const { client } = this.#options;
    for await (const _event of client.watch(taskId, { principal: OPERATOR })) {
      const task = await client.get(taskId, { principal: OPERATOR });
      if (isThere(task)) return task;
    }
    throw new TaskError('TASK_NOT_FOUND', 'the task ended before the story did; play it again');
  }

  #setState(part: Partial<StoryState>): void {
    this.#state = { ...this.#state, ...part };
    this.#options.onChange(this.#state);
  }
}

export function toStoryRoutes(story: Story): readonly Route[] {
  return [
    { method: 'GET', path: '/api/story', handle: () => story.state },
    { method: 'POST', path: '/api/story', handle: () => story.play() },
  ];
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
