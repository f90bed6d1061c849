/** The reference server, which knows nothing of tasks that outlive a host: its calls come back all the same. */
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fetchTool } from '../../../scripts/fetched/fetch-tool.mjs';
import { startProgram } from '../../crash/judge.ts';
import { openDesk, textOf } from '../../host/open-host.ts';

const EVERYTHING = { name: '@modelcontextprotocol/server-everything', version: '2026.8.31' };

it.each(['called', 'sent'])(
  '[FIRST-160] a host killed when its call is %s: the next one gives the result once',
  async (moment) => {
    const folder = await fetchTool(EVERYTHING);
    const server = [join(folder, 'node_modules', EVERYTHING.name, 'dist', 'index.js'), 'stdio'];
    const desk = await openDesk();
    const { child, ended } = startProgram('host-of-everything', [desk.ledger, '6', process.execPath, ...server]);
    for (let said = ''; !said.includes(`${moment}\n`); ) said += String((await once(child.stdout, 'data'))[0]);
    child.kill('SIGKILL');
    await ended;
    const host = await desk.host();
    const [call, ...others] = await host.resume();
    await host.connect('everything', {
      command: process.execPath,
      args: server,
      passEnv: ['HOLDFAST_TEST_FILE'],
      stderr: 'ignore',
    });
    expect(others).toEqual([]);
    expect(call && textOf(await call.outcome())).toContain('Duration: 6 seconds, Steps: 4');
    expect([await call?.ack(), await host.resume()]).toEqual([true, []]);
  },
);
