import type { Engine, Json, SubmitOptions, Task, TaskContext } from 'holdfast';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { AskedQuestions } from '../../../dist/dialects/shared/questions/asked-questions.js';
import type { Connection } from '../../../dist/dialects/shared/questions/question-request.js';
import { createGate, type Gate, openLightRig, type Rig } from '../../engine/open-rig.ts';

/** What a server wrote to a client, in order. */
export type Sent = { readonly id?: string; readonly method: string; readonly params: { readonly [key: string]: Json } };

export interface Recorder extends Connection {
  readonly sent: Sent[];
  ofMethod(method: string): Sent[];
}

export function createRecorder(overrides: Partial<Connection> = {}): Recorder {
  const sent: Sent[] = [];
  return {
    sent,
    capabilities: { elicitation: {}, sampling: {}, roots: {} },
    asked: new AskedQuestions(),
    canSend: () => true,
    notify: async (method, params) => void sent.push({ method, params }),
    request: async (id, method, params = {}) => void sent.push({ id, method, params }),
    ofMethod: (wanted) => sent.filter(({ method }) => method === wanted),
    ...overrides,
  };
}

export interface Desk {
  readonly rig: Rig;
  readonly engine: Engine;
  /** Lets `hold` return. */
  readonly gate: Gate;
  /** Submits as a client of this dialect does. */
  submit(tool: string, options?: SubmitOptions & { readonly args?: Json }): Promise<Task>;
}

export const done = { content: [{ type: 'text', text: 'done' }] };
export const refused = { content: [{ type: 'text', text: 'no paper' }], isError: true };

/** An engine with one tool for each way a task can go. */
export async function openDesk(): Promise<Desk> {
  const rig = await openLightRig('memory');
  const gate = createGate();
  // Runs before the engine is closed: what still holds then can end.
  onTestFinished(gate.open);
  const engine = await rig.engine(
    {
      quick: { run: () => done },
      hold: {
        async run() {
          await gate.opened;
          return done;
        },
      },
      refuse: { run: () => refused },
      throws: {
        run() {
          throw new Error('out of ink');
        },
      },
      protocolError: {
        run() {
          throw Object.assign(new Error('no such printer'), { code: -32050, data: { printer: 'p1' } });
        },
      },
      ask: {
        async run(_args: unknown, task: TaskContext) {
          await task.ask({ key: 'ok', message: 'Print it?', schema: z.object({ ok: z.boolean() }) });
          await gate.opened;
          return done;
        },
      },
      askTwice: {
        async run(_args: unknown, task: TaskContext) {
          await task.ask({ key: 'first', message: 'Print it?', schema: z.object({ ok: z.boolean() }) });
          await task.ask({ key: 'second', message: 'In colour?', schema: z.object({ ok: z.boolean() }) });
          return done;
        },
      },
      askRoots: {
        async run(_args: unknown, task: TaskContext) {
          await task.ask({ key: 'where', roots: true });
          return done;
        },
      },
      count: {
        async run({ values }: { values: { value: number; message?: string }[] }, task: TaskContext) {
          for (const { value, message } of values) await task.progress(value, message);
          await gate.opened;
          return done;
        },
      },
    },
    { shutdownGraceMs: 20 },
  );
  const submit: Desk['submit'] = async (tool, { args = {}, labels, ...options } = {}) => {
    const submitted = await engine.submit(tool, args, { ...options, labels: { dialect: 'tasks-2025', ...labels } });
    return submitted.task;
  };
  return { rig, engine, gate, submit };
}

/** The answer that `ask` and `askTwice` want. */
export const yes = { action: 'accept', content: { ok: true } } as const;
