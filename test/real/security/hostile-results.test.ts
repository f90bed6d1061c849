import { openSqliteLedger } from 'holdfast/host';
import { expect, it } from 'vitest';
import { programPath } from '../../programs/program-path.js';
import { DEMO, openProject, type Project } from '../../security/host/open-project.ts';

const WORDS = programPath('hostile-words-server.js');

/** A call that has ended, and whose outcome nobody has taken. */
async function plantEnded({ ledger, plant }: Project, result: object): Promise<void> {
  await plant({ tool: 'done' });
  const kept = openSqliteLedger({ path: ledger });
  for (const { callId } of (await kept.list({ unacked: true })).filter(({ outcome }) => !outcome)) {
    await kept.settle(callId, { kind: 'result', result: result as never, isError: false });
  }
  await kept.close();
}

it.each(['null', '{"type":{"toString":1}}', '7', '[]'])(
  '[SEC-520] a result with %s in the place of a part is shown, and taken',
  async (part) => {
    const project = await openProject();
    const shown = await project.run('call', 'part', JSON.stringify({ part }), '--', process.execPath, WORDS);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain('[no part of a result]');
    expect((await project.run('calls', 'list')).stderr).toContain('no calls');
  },
);

it('[SEC-521] a call that ended while nobody waited is shown by the next who asks, with all others', async () => {
  const project = await openProject();
  await plantEnded(project, { content: [null] });
  await plantEnded(project, { content: [{ type: 'text', text: 'of the second' }] });
  const { code, stdout } = await project.run('calls', 'resume');
  expect(stdout).toContain('of the second');
  expect(code).toBe(0);
  expect((await project.run('calls', 'list')).stderr).toContain('no calls');
});

it('[SEC-528] lists of calls do not show what a server is started or reached with', async () => {
  const project = await openProject();
  await project.write('.mcp.json', { demo: { ...DEMO, env: { API_KEY: 'key-of-the-user' } } });
  const called = await project.run('call', 'demo_echo', '{}', '--server', 'demo', '--trust', '--detach');
  expect(called).toMatchObject({ code: 0 });
  const listed = await project.run('calls', 'list', '--all', '--json');
  expect(JSON.parse(listed.stdout).origin.spec.env).toEqual({ API_KEY: '******' });
  const shown = await project.run('calls', 'show', called.stdout.trim(), '--json');
  expect(shown.stdout).toContain('API_KEY');
  expect(listed.stdout + shown.stdout).not.toContain('key-of-the-user');
});
