import { z } from 'zod';
import type { HoldfastServer } from '../../index.ts';
import { answer, toAnswer } from './answer.ts';
import type { Monitor } from './monitor.ts';

const path = z.string().describe('A file or a directory: an absolute path, one that begins with ~/, or a file: URL');

/** Tools that sync files, and that read the state of the monitor. */
export function addMonitorTools(server: HoldfastServer, monitor: Monitor): void {
  server
    .tool('wksm_monitor_sync', {
      description: 'Sync files to monitor database',
      input: z.object({
        path: path.describe('Path to sync'),
        recursive: z.boolean().default(false).describe('Recurse into subdirectories'),
        rehash: z.boolean().default(false).describe('Hash files even if size and time are as before'),
      }),
      annotations: { idempotentHint: true, destructiveHint: false, openWorldHint: false },
      estimateMs: (args) => monitor.estimateMs(args),
      // A repeated sync resumes where the last one stopped.
      idempotent: true,
      run: (args, task) =>
        answer('sync', async () => {
          const { signal } = task;
          const result = monitor.sync({
            ...args,
            signal,
            onProgress: ({ value, message }) => task.progress(value, message),
          });
          // An error and not an answer, because the task itself has ended.
          return result.catch((error: unknown) => {
            throw signal.aborted ? new Error('the sync was broken off', { cause: error }) : error;
          });
        }),
    })
    .tool('wksm_monitor_status', {
      description: 'Say how many files are tracked, and how the last sync went',
      annotations: { readOnlyHint: true, openWorldHint: false },
      task: 'never',
      run: () => answer('read the status', () => toAnswer(monitor.status())),
    })
    .tool('wksm_monitor_check', {
      description: 'Say whether a path is monitored, with which priority, and why',
      input: z.object({ path }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      task: 'never',
      run: (args) => answer('check', () => toAnswer(monitor.check(args.path))),
    });
}
