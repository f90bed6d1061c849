/** The host half of every dialect, by the name its handles carry. */

import type { CallOutcome, HostPort } from '../../dialects/host-port.ts';
import { cancelJob, type JobHandle } from '../../dialects/job/host.ts';
import type { StreamHandle } from '../../dialects/stream/host.ts';
import { cancelTask2025, followTask2025, type TaskHandle2025 } from '../../dialects/tasks-2025/host.ts';
import { cancelTask2026, followTask2026, type TaskHandle2026 } from '../../dialects/tasks-2026/host.ts';
import { cancelUiPrompts, explainUiPrompts, type UiPromptsHandle } from '../../dialects/ui-prompts/host.ts';
import { TaskError } from '../../errors.ts';
import type { CallHandle } from '../ledger/contract.ts';
import type { EarlyNotifications } from './early-notifications.ts';
import { followJobCall } from './job-call.ts';
import { cancelStreamCall, followStreamCall } from './stream-call.ts';
import { followSent } from './ui-prompts-call.ts';

interface Driver {
  /** Waits for the outcome; `early` has heard what came before the handle was known. */
  follow(handle: CallHandle, port: HostPort, early: EarlyNotifications): Promise<CallOutcome>;
  /** Stops the work on the server; false when it did not take that. */
  cancel(handle: CallHandle, port: HostPort): Promise<boolean>;
  /** Why there is no outcome yet, where that can be told. */
  explain?(handle: CallHandle): Promise<string>;
}

const DRIVERS: Readonly<Record<string, Driver>> = {
  'tasks-2026': {
    follow: (handle, port) => followTask2026(handle as TaskHandle2026, port),
    cancel: (handle, port) => cancelTask2026(handle as TaskHandle2026, port),
  },
  'tasks-2025': {
    follow: (handle, port) => followTask2025(handle as TaskHandle2025, port),
    cancel: (handle, port) => cancelTask2025(handle as TaskHandle2025, port),
  },
  job: {
    follow: (handle, port) => followJobCall(handle as JobHandle, port),
    cancel: (handle, port) => cancelJob(handle as JobHandle, port),
  },
  stream: {
    follow: (handle, port, early) => followStreamCall(handle as StreamHandle, port, early.takeStream()),
    cancel: (handle, port) => cancelStreamCall(handle as StreamHandle, port),
  },
  'ui-prompts': {
    follow: followSent,
    cancel: (handle, port) => cancelUiPrompts(handle as UiPromptsHandle, port),
    explain: (handle) => explainUiPrompts(handle as UiPromptsHandle),
  },
};

export function findDriver({ dialect }: CallHandle): Driver {
  const driver = DRIVERS[dialect];
  if (driver) return driver;
  const expected = Object.keys(DRIVERS).join(', ');
  throw new TaskError(
    'INVALID_ARGUMENT',
    `the ledger names the dialect ${JSON.stringify(dialect)}; known are ${expected}`,
  );
}
