/** What of the host's environment the servers see that it starts. */
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import type { ServerSpec, StdioSpec } from 'holdfast/host';
import { afterEach, expect, it, vi } from 'vitest';
import { openDesk, textOf } from '../../host/open-host.ts';

afterEach(() => vi.unstubAllEnvs());

/** By which whoever opens the ledger later knows the child of a host that was killed. */
const MARK = expect.stringMatching(/^[\da-f-]{36}$/);

/** The environment as a server of this spec sees it. */
async function readEnvironment(more: Partial<StdioSpec>): Promise<Record<string, string>> {
  const desk = await openDesk();
  const host = await desk.host();
  const { command, args } = desk.command('hostile-server');
  await host.connect('hostile', { command, args, ...more });
  const call = await host.call('hostile', 'environment');
  return JSON.parse(textOf(await call.outcome()));
}

it('[SEC-340] a stdio server gets the short list of variables, and none of the secrets beside them', async () => {
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'stolen');
  vi.stubEnv('HOLDFAST_DIR', '/nowhere');
  const seen = await readEnvironment({});
  expect(seen).toEqual({ ...getDefaultEnvironment(), HOLDFAST_CHILD: MARK });
  expect(Object.keys(seen)).not.toContain('AWS_SECRET_ACCESS_KEY');
});

it('[SEC-341] passes on what the spec names, by name or by how it begins, and what the spec sets', async () => {
  vi.stubEnv('ROBOT_REGION', 'north');
  vi.stubEnv('ROBOT_PROFILE', 'work');
  vi.stubEnv('ROBOTS', 'no');
  vi.stubEnv('EDITOR', 'ed');
  vi.stubEnv('SHELL_FUNCTION', '() { :; }');
  const passEnv = ['ROBOT_*', 'EDITOR', 'NOT_SET', 'SHELL_FUNCTION'];
  const seen = await readEnvironment({ passEnv, env: { ROBOT_PROFILE: 'spec', OWN: '1' } });
  const more = { ROBOT_REGION: 'north', ROBOT_PROFILE: 'spec', EDITOR: 'ed', OWN: '1' };
  expect(seen).toEqual({ ...getDefaultEnvironment(), ...more, HOLDFAST_CHILD: MARK });
});

it('[SEC-341] says what a name to pass on may be', async () => {
  const desk = await openDesk();
  const host = await desk.host();
  for (const passEnv of ['PATH', ['A=b'], ['*_KEY'], [''], [7]]) {
    const spec = { command: 'x', passEnv } as unknown as ServerSpec;
    await expect(host.connect('wrong', spec)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/passEnv is .*; expected a list of names, each with a \* at its end or without$/),
    });
  }
});
