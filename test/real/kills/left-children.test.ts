import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { startProgram } from '../../crash/judge.ts';
import { isRunning, openStubborn } from '../../host/servers/open-stubborn.ts';

const ROUNDS = 10;
const AT_ONCE = 6;
// From before the child is there until after the handshake.
const MAX_LIFE_MS = 600;

/** Servers of a directory, whether they have come to noting anything or not. */
function findServers(dir: string): string[] {
  const commands = readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      return [readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
    } catch {
      return [];
    }
  });
  return commands.filter((command) => command.includes('stubborn-server') && command.includes(dir));
}

it(`[BAD-350] of ${ROUNDS * AT_ONCE} hosts killed around the start of their child no child is left after the next host`, {
  timeout: 600_000,
}, async () => {
  let begun = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const kills = Array.from({ length: AT_ONCE }, async (_, turn) => {
      const { desk, noted, children } = await openStubborn();
      const { child, ended } = startProgram('host-of-stubborn', [desk.dir, 'none']);
      await until(() => existsSync(desk.ledger), { timeoutMs: 60_000 });
      const killAt = performance.now() + MAX_LIFE_MS * ((round + turn / AT_ONCE) / ROUNDS);
      await until(() => performance.now() >= killAt);
      child.kill('SIGKILL');
      await ended;
      if (findServers(desk.dir).length > 0) begun += 1;
      await (await desk.host()).close();
      expect(findServers(desk.dir)).toEqual([]);
      expect([...noted('server'), ...noted('helper')].filter(isRunning)).toEqual([]);
      expect(await children()).toEqual([]);
    });
    await Promise.all(kills);
  }
  expect(begun, 'hosts that left a child').toBeGreaterThan(5);
});
