import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { openSqliteLedger } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../../crash/judge.ts';
import { programPath } from '../../programs/program-path.js';
import { isRunning, openStubborn } from './open-stubborn.ts';

describe('children of a host that was killed', () => {
  it('[BAD-350] are ended by whoever opens the ledger next, with what they started; daemons are let alone', async () => {
    const { desk, noted, children } = await openStubborn();
    const { child, ended } = startProgram('host-of-stubborn', [desk.dir, 'none']);
    await until(() => desk.notes().some((line) => line.startsWith('daemon ')), { timeoutMs: 60_000 });
    await until(async () => (await children())[0]?.process, { what: 'the note of the child' });
    const left = [...noted('server'), ...noted('helper')];
    const daemons = noted('daemon');
    child.kill('SIGKILL');
    await ended;
    expect(left.map(isRunning)).toEqual([true, true]);
    const next = await desk.host();
    await until(() => !left.some(isRunning), { what: 'the end of what was left', timeoutMs: 60_000 });
    await next.close();
    expect(daemons.map(isRunning)).toEqual([true]);
    expect(await children()).toEqual([]);
  });

  it('[BAD-351] are found when the host was killed before it knew their pid', async () => {
    const { desk, noted, children } = await openStubborn();
    expect(await startProgram('host-of-stubborn', [desk.dir, 'child-process:before']).ended).toMatchObject({
      signal: 'SIGKILL',
    });
    // The host was gone before the server had begun; now it runs, and nothing but its mark is known.
    await until(() => noted('daemon').length > 0, { timeoutMs: 60_000 });
    expect(await children()).toMatchObject([{ server: 'stubborn', mark: expect.any(String) }]);
    expect((await children())[0]?.process).toBeUndefined();
    const left = [...noted('server'), ...noted('helper')];
    await (await desk.host()).close();
    expect(left.map(isRunning)).toEqual([false, false]);
    expect(await children()).toEqual([]);
  });

  it('[BAD-352] that were noted and never started are forgotten', async () => {
    const { desk, noted, children } = await openStubborn();
    await startProgram('host-of-stubborn', [desk.dir, 'child-add:after']).ended;
    expect(await children()).toHaveLength(1);
    await (await desk.host()).close();
    expect(await children()).toEqual([]);
    expect(noted('server')).toEqual([]);
  });
});

describe('children of a host that lives', () => {
  it('[BAD-353] are never touched, even when it is stopped', async () => {
    const { desk, noted, children } = await openStubborn();
    const { child, ended } = startProgram('host-of-stubborn', [desk.dir, 'none']);
    await until(() => noted('daemon').length > 0, { timeoutMs: 60_000 });
    child.kill('SIGSTOP');
    await (await desk.host()).close();
    expect(noted('server').map(isRunning)).toEqual([true]);
    expect(await children()).toHaveLength(1);
    child.kill('SIGKILL');
    await ended;
    await (await desk.host()).close();
    expect(noted('server').map(isRunning)).toEqual([false]);
  });

  it('[BAD-354] are noted only for as long as they run', async () => {
    const { desk, children } = await openStubborn();
    const host = await desk.host();
    await host.connect('reports', desk.command('host-sdk1-server', desk.dir));
    expect(await children()).toMatchObject([{ server: 'reports', process: { pid: expect.any(Number) } }]);
    await host.close();
    expect(await children()).toEqual([]);
    const failing = await desk.host();
    await expect(failing.connect('none', { command: 'no-such-program-anywhere' })).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
    });
    await failing.close();
    expect(await children()).toEqual([]);
  });
});

describe('a server that a keeper runs', () => {
  it('[FIRST-135] is ended with what it started when its host is killed and no call is open; daemons are let alone', async () => {
    const { desk, noted } = await openStubborn();
    const { child, ended } = startProgram('host-of-stubborn', [desk.dir, 'none', 'keeper']);
    // The server may be there before its keeper is; a host that is killed so early leaves it to the next one.
    let said = '';
    child.stdout.on('data', (part) => {
      said += part;
    });
    await until(() => said.includes('connected') && noted('daemon').length > 0, { timeoutMs: 60_000 });
    const left = [...noted('server'), ...noted('helper')];
    child.kill('SIGKILL');
    await ended;
    await until(() => !left.some(isRunning), { what: 'the end of what was left', timeoutMs: 60_000 });
    expect(noted('daemon').map(isRunning)).toEqual([true]);
  });

  it('[FIRST-135] is ended although its host was killed before it had told the keeper anything of it', async () => {
    const { desk, noted } = await openStubborn();
    const { ended } = startProgram('host-of-stubborn', [desk.dir, 'child-process:before', 'keeper']);
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
    await until(() => noted('daemon').length > 0, { timeoutMs: 60_000 });
    const left = [...noted('server'), ...noted('helper')];
    await until(() => !left.some(isRunning), { what: 'the end of what was left', timeoutMs: 60_000 });
    expect(noted('daemon').map(isRunning)).toEqual([true]);
  });

  it.runIf(process.platform === 'linux')(
    '[FIRST-135] is ended by the next host when its own was killed before there was a keeper',
    async () => {
      const { desk, noted, children } = await openStubborn();
      const ledger = openSqliteLedger({ path: desk.ledger });
      const mark = randomUUID();
      // As it is noted before it runs: nobody knows its session yet.
      await ledger.children?.add({ mark, server: 'stubborn', owner: '' });
      await ledger.close();
      const env = { ...process.env, HOLDFAST_CHILD: mark };
      const args = [programPath('stubborn-server.js'), desk.dir];
      spawn(process.execPath, args, { env, detached: true, stdio: 'ignore' }).unref();
      await until(() => noted('daemon').length > 0, { timeoutMs: 60_000 });
      await (await desk.host()).close();
      expect([...noted('server'), ...noted('helper')].map(isRunning)).toEqual([false, false]);
      expect(noted('daemon').map(isRunning)).toEqual([true]);
      expect(await children()).toEqual([]);
    },
  );
});
