import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { HoldfastServer } from '../../index.ts';

const ms = (fallback: number) => z.number().int().min(0).max(86_400_000).default(fallback);

/** Work of every temper, to see how clients and servers bear it. */
export function addWorkTools(server: HoldfastServer): void {
  addPatientTools(server);
  addTroubleTools(server);
  addOutputTools(server);
}

function addPatientTools(server: HoldfastServer): void {
  server
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

function addTroubleTools(server: HoldfastServer): void {
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
    .tool('stubborn', {
      description: 'Takes its time to stop when it is cancelled',
      input: z.object({ ms: ms(60_000), tidyMs: ms(500) }),
      task: 'always',
      async run(args, task) {
        try {
          await pause(args.ms, undefined, { signal: task.signal });
        } finally {
          await pause(args.tidyMs);
        }
        return 'was never cancelled';
      },
    })
    .tool('chatty', {
      description: 'Prints on stdout, which carries the protocol, and answers all the same',
      input: z.object({ lines: z.number().int().min(1).max(1000).default(3) }),
      task: 'never',
      run({ lines }) {
        for (let line = 1; line <= lines; line += 1) {
          console.log(`line ${line} of ${lines}`);
          process.stdout.write('{"jsonrpc":"2.0","not":"a frame"}\n');
        }
        return `printed ${lines} times`;
      },
    });
}

function addOutputTools(server: HoldfastServer): void {
  server
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
