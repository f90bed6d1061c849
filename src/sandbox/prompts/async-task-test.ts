/** The AsyncTask Test: makes one call that is answered through the prompt log, and prints each step with its time. */
import { TaskError } from '../../errors.ts';
import type { Host, JsonObject } from '../../host/index.ts';
import type { CallTracker } from '../calls/call-tracker.ts';
import type { PromptLogView } from './prompt-log-view.ts';
import { SIMULATED_TOOL, SIMULATION, toSimulation } from './simulated-app.ts';

export interface TestLine {
  readonly at: number;
  readonly label: string;
  readonly content: string;
}

export interface AsyncTaskTestOptions {
  readonly calls: CallTracker;
  readonly promptLog: PromptLogView;
  onChange(): void;
  report(error: unknown): void;
}

/** The call to test; the simulated app when no server is named. */
export interface TestedCall {
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly args: JsonObject;
}

const MAX_LINES = 300;
const WAIT_MS = 60_000;

export class AsyncTaskTest {
  readonly #options: AsyncTaskTestOptions;
  #lines: TestLine[] = [];

  constructor(options: AsyncTaskTestOptions) {
    this.#options = options;
  }

  get lines(): readonly TestLine[] {
    return this.#lines;
  }

  /** Connects the simulated app to the host. */
  async open(host: Host): Promise<void> {
    const { report } = this.#options;
    const onAck = (taskId: string) => this.#print('asyncTask.ack', { status: 'accepted', taskId });
    await host.connect(SIMULATION, toSimulation({ onAck, report }));
  }

  /** Starts a test; its steps are printed as they happen. */
  async run({ server = SIMULATION, tool = SIMULATED_TOOL, args }: TestedCall): Promise<{ readonly callId: string }> {
    this.#print('asyncTask.request', { server, tool, arguments: args });
    const { callId } = await this.#options.calls.call({ server, tool, args });
    this.#follow(callId).catch(this.#options.report);
    return { callId };
  }

  async #follow(callId: string): Promise<void> {
    const { calls, promptLog } = this.#options;
    const startedAt = Date.now();
    const late = setTimeout(() => void this.#explain(callId), WAIT_MS);
    late.unref();
    try {
      const outcome = await calls.whenEnded(callId);
      const { taskId } = calls.get(callId);
      const found = taskId === undefined ? undefined : await promptLog.explain(taskId);
      this.#print('asyncTask.polled', {
        taskId,
        match: found?.reason ?? 'answered without the log',
        afterMs: Date.now() - startedAt,
      });
      this.#print('asyncTask.result', outcome);
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      this.#print('asyncTask.detached', { callId });
    } finally {
      clearTimeout(late);
    }
  }

  /** Prints what the log contains when no result has come for a while. */
  async #explain(callId: string): Promise<void> {
    const { taskId } = this.#options.calls.get(callId);
    if (taskId !== undefined) this.#print('prompts explain', await this.#options.promptLog.explain(taskId));
  }

  #print(label: string, content: unknown): void {
    const line = { at: Date.now(), label, content: JSON.stringify(content, null, 2) };
    this.#lines = [...this.#lines, line].slice(-MAX_LINES);
    this.#options.onChange();
  }
}
