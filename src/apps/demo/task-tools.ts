import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { HoldfastServer } from '../../index.ts';

const INLINE_MS = 250;
const INTERNAL_ERROR = -32603;

/** Tools whose calls become tasks, as the conformance suite of the tasks extension requires. */
export function addTaskTools(server: HoldfastServer): void {
  server
    .tool('slow_compute', {
      description: 'Works for some seconds',
      input: z.object({ seconds: z.number().min(0).max(3600), label: z.string().default('slow') }),
      estimateMs: ({ seconds }) => seconds * 1000,
      inlineMs: INLINE_MS,
      async run({ seconds, label }, task) {
        await pause(seconds * 1000, undefined, { signal: task.signal });
        return `${label}: worked for ${seconds} s`;
      },
    })
    .tool('failing_job', {
      description: 'Fails as a tool after a second',
      task: 'always',
      async run(_args, task) {
        await pause(1000, undefined, { signal: task.signal });
        return { content: [{ type: 'text', text: 'the job failed, as it always does' }], isError: true };
      },
    })
    .tool('protocol_error_job', {
      description: 'Fails with an error of the protocol',
      task: 'always',
      run() {
        throw Object.assign(new Error('the job broke the protocol, as it always does'), { code: INTERNAL_ERROR });
      },
    });
  addAskingTaskTools(server);
}

function addAskingTaskTools(server: HoldfastServer): void {
  server
    .tool('multi_input', {
      description: 'Asks two questions at once',
      async run(_args, task) {
        const [{ name }, { confirm }] = await Promise.all([
          task.ask({ key: 'name', message: 'Who are you?', schema: z.object({ name: z.string() }) }),
          task.ask({ key: 'confirm', message: 'Are you sure?', schema: z.object({ confirm: z.boolean() }) }),
        ]);
        return `${name} is ${confirm ? '' : 'not '}sure`;
      },
    })
    .tool('test_tool_with_task', {
      description: 'Asks for a name before its task is made',
      task: 'always',
      upfront: () => ({ user_name: { message: 'What is your name?', schema: z.object({ name: z.string() }) } }),
      async run(_args, task) {
        await pause(INLINE_MS, undefined, { signal: task.signal });
        const { name } = task.upfront.user_name as { name: string };
        return `Hello, ${name}, from a task`;
      },
    });
}
