import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { HoldfastServer } from '../../index.ts';

const ms = (fallback: number) => z.number().int().min(0).max(86_400_000).default(fallback);

/** Tools that misbehave, to test how clients and servers handle it. */
export function addTroubleTools(server: HoldfastServer): void {
  server
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
