import { describe, expect, it } from 'vitest';
import { openPeer } from '../../src/sandbox/run-as/peer.ts';
import { recordedClients } from '../../src/sandbox/run-as/recorded-clients.ts';
import type { Result } from '../../src/sandbox/wire/read-messages.ts';
import { openStage } from './stage.ts';

/** A client of each era that polls, and how it reads what it is given. */
const POLLERS = [
  ['2026-07-28', 'Claude Code, interactive', 'pollIntervalMs'],
  ['2025-11-25', 'VS Code', 'pollInterval'],
] as const;

describe.each(POLLERS)('a client that polls in %s', (_, name, field) => {
  const recorded = recordedClients.find((one) => one.name === name) ?? expect.unreachable(name);
  // Nobody sits before it.
  const client = { ...recorded, capabilities: {} };

  /** Begins a task and reads its interval when it has been running for so many seconds. */
  async function readIntervals(tool: string, args: object, seconds: readonly number[]): Promise<unknown[]> {
    const stage = await openStage();
    const peer = await openPeer(stage, client);
    const began = stage.clock.elapsed();
    const asTask = client.tasks === 'tasks-2025' && { task: {} };
    const calling = peer.request('tools/call', { name: tool, arguments: args, ...asTask });
    const { result = {} } = await stage.clock.drive(calling);
    const created = (result.task ?? result) as Result;
    const read: unknown[] = [created[field]];
    for (const at of seconds) {
      await stage.clock.drive(stage.clock.elapse(began + at * 1000 - stage.clock.elapsed()));
      read.push((await peer.request('tasks/get', { taskId: created.taskId })).result?.[field]);
    }
    await peer.request('tasks/cancel', { taskId: created.taskId });
    await stage.close();
    return read;
  }

  it('[HOSTS-338] is asked to come back after a tenth of the time left, from 15 s to 1 s', async () => {
    const read = await readIntervals('work', { seconds: 310, label: 'x' }, [100, 210, 260, 305]);
    expect(read).toEqual([15_000, 15_000, 10_000, 5000, 1000]);
  });

  it('[HOSTS-338] is asked ever more rarely while a question waits for a person', async () => {
    // It asks after 3 s.
    const read = await readIntervals('confirm', { label: 'x' }, [4, 203, 703]);
    expect(read.slice(1)).toEqual([2000, 20_000, 60_000]);
  });

  it('[HOSTS-337] [HOSTS-338] is asked what the owner of the tool has set', async () => {
    expect(await readIntervals('paced', {}, [1.5, 30])).toEqual([250, 250, 250]);
  });
});
