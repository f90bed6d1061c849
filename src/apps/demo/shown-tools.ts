import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { HoldfastServer } from '../../index.ts';

const ms = (fallback: number) => z.number().int().min(0).max(86_400_000).default(fallback);

/** The demo's standard tools: immediate, slow, asking, failing, streaming, and one that spawns a process. */
export function addShownTools(server: HoldfastServer): void {
  addPatientTools(server);
  addAskingTools(server);
  addOutputTools(server);
}

function addPatientTools(server: HoldfastServer): void {
  server
    .tool('greet', {
      description: 'Greets somebody by name',
      input: z.object({ name: z.string() }),
      annotations: { readOnlyHint: true },
      task: 'never',
      run: ({ name }) => `Hello, ${name}!`,
    })
    .tool('sleep', {
      description: 'Sleeps, with progress ten times on the way',
      input: z.object({ ms: ms(1000), note: z.string().default('') }),
      estimateMs: (args) => args.ms,
      idempotent: true,
      async run(args, task) {
        for (let tenth = 1; tenth <= 10; tenth += 1) {
          await pause(args.ms / 10, undefined, { signal: task.signal });
          await task.progress(tenth / 10, `${tenth} of 10`);
        }
        return `slept ${args.ms} ms${args.note && `: ${args.note}`}`;
      },
    })
    .tool('sleep_once', {
      description: 'Sleeps as a task that may not be repeated: interrupted when its worker dies',
      input: z.object({ ms: ms(1000) }),
      task: 'always',
      async run(args, task) {
        await pause(args.ms, undefined, { signal: task.signal });
        return `slept ${args.ms} ms in attempt ${task.attempt}`;
      },
    });
}

function addAskingTools(server: HoldfastServer): void {
  server
    .tool('confirm_delete', {
      description: 'Deletes nothing, but asks first',
      input: z.object({ filename: z.string() }),
      annotations: { destructiveHint: true },
      async run({ filename }, task) {
        const schema = z.object({ confirm: z.boolean() });
        const { confirm } = await task.ask({ key: 'confirm', message: `Delete ${filename}?`, schema });
        return confirm ? `${filename} would be gone now` : `${filename} stays`;
      },
    })
    .tool('interview', {
      description: 'Asks several questions, one after another, and survives a restart between them',
      input: z.object({ questions: z.array(z.string()).min(1).max(20).default(['What is your name?']) }),
      idempotent: true,
      async run({ questions }, task) {
        const answers: string[] = [];
        for (const message of questions) {
          await task.log('info', `asking: ${message}`);
          const { answer } = await task.ask({ message, schema: z.object({ answer: z.string() }) });
          answers.push(answer);
        }
        return answers.join('; ');
      },
    });
}

function addOutputTools(server: HoldfastServer): void {
  server
    .tool('fail', {
      description: 'Throws after a while, or returns an error for the model to read',
      input: z.object({ ms: ms(0), how: z.enum(['throw', 'result', 'protocol']).default('throw') }),
      async run(args, task) {
        await pause(args.ms, undefined, { signal: task.signal });
        if (args.how === 'result') return { content: [{ type: 'text', text: 'failed politely' }], isError: true };
        throw Object.assign(
          new Error(`failed on purpose after ${args.ms} ms`),
          args.how === 'protocol' && { code: -32000 },
        );
      },
    })
    .tool('stream', {
      description: 'Hands out its output piece by piece',
      input: z.object({ pieces: z.number().int().min(1).max(10_000).default(10), everyMs: ms(50) }),
      async run({ pieces, everyMs }, task) {
        for (let piece = 1; piece <= pieces; piece += 1) {
          await task.stream({ piece, text: `piece ${piece} of ${pieces}` });
          await task.progress(piece / pieces);
          await pause(everyMs, undefined, { signal: task.signal });
        }
        return `streamed ${pieces} pieces`;
      },
    })
    .tool('run_program', {
      description: 'Runs a program of its own, which ends with the task',
      input: z.object({ seconds: z.number().min(0).max(3600).default(1) }),
      async run({ seconds }, task) {
        const program = `console.log('started'); setTimeout(() => console.log('done'), ${seconds * 1000})`;
        const { pid, stdout, exit } = await task.spawn(process.execPath, ['-e', program]);
        const [started] = (await once(stdout, 'data', { signal: task.signal })) as [Buffer];
        await task.log('info', `process ${pid}: ${started.toString().trim()}`);
        stdout.resume();
        const { code } = await exit;
        return `the program ended with ${code}`;
      },
    });
}
