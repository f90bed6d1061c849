import { mkdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEMO, openProject, SERVER } from '../../security/host/open-project.ts';

const _STRANGER = 1001;

const _refusal = (text: string) => ({ code: 77, stdout: '', stderr: expect.stringContaining(text) });

it('[SEC-302] a file in the home of the user is their own word, and the search ends there', async () => {
  const project = await openProject();
  const home = join(project.base, 'home');
  const greet = ['call', 'greet', '{"name":"Ada"}', '--server', 'demo'];
  await project.write('../../home/.mcp.json', { demo: DEMO });
  await mkdir(join(home, 'work'));
  expect(await project.runIn(join(home, 'work'), ...greet)).toMatchObject({ code: 0 });
  await project.write('../../.mcp.json', { above: project.harm });
  const above = await project.runIn(join(home, 'work'), 'call', 'greet', '--server', 'above', '--trust');
  expect(above).toMatchObject({ code: 4, stderr: expect.stringContaining('known are demo') });
});

it('[SEC-303] a command is run where it was typed, wherever its call is taken up', async () => {
  const project = await openProject();
  await project.write('server.mjs', SERVER);
  const typed = ['--', process.execPath, 'server.mjs'];
  await project.run('call', 'slow_compute', '{"seconds":2,"label":"x"}', '--detach', ...typed);
  const elsewhere = join(project.base, 'elsewhere');
  await mkdir(elsewhere);
  const [, script = ''] = project.harm.args;
  await project.write('../../elsewhere/server.mjs', script.replace("require('node:fs')", "(await import('node:fs'))"));
  expect(await project.runIn(elsewhere, 'calls', 'resume')).toMatchObject({ code: 0, stdout: 'x: worked for 2 s\n' });
  expect(project.isHarmed).toBe(false);
});

it('[SEC-303] what a file names lies beside it, not where the command line is run', async () => {
  const project = await openProject();
  await project.write('.mcp.json', { demo: { command: process.execPath, args: ['server.mjs'] } });
  await project.write('server.mjs', SERVER);
  await project.write('vendor/server.mjs', `import fs from 'node:fs'; fs.writeFileSync('${project.base}/harmed', '');`);
  const greet = ['call', 'greet', '{"name":"Ada"}', '--server', 'demo'];
  await project.run(...greet, '--trust');
  expect(await project.runIn(join(project.dir, 'vendor'), ...greet)).toMatchObject({
    code: 0,
    stdout: 'Hello, Ada!\n',
  });
  expect(project.isHarmed).toBe(false);
});

it('[SEC-304] a server whose command changed since the call is not run unasked, and what was kept is when it is gone', async () => {
  const project = await openProject();
  const path = await project.write('.mcp.json', { demo: DEMO });
  const slow = ['call', 'slow_compute', '{"seconds":2,"label":"x"}', '--server', 'demo', '--detach', '--trust'];
  const { stdout: callId } = await project.run(...slow);
  await project.write('.mcp.json', { demo: project.harm });
  const changed = { code: 77, stderr: expect.stringContaining('has changed since the call') };
  for (const command of [['resume'], ['wait', callId.trim()], ['cancel', callId.trim()]]) {
    expect(await project.run('calls', ...command)).toMatchObject(changed);
  }
  expect(project.isHarmed).toBe(false);
  await rename(path, `${path}.away`);
  expect(await project.run('calls', 'resume')).toMatchObject({ code: 0, stdout: 'x: worked for 2 s\n' });
});

it('[SEC-306] a server that cannot be had does not keep the calls of others', async () => {
  const project = await openProject();
  await project.plant({ server: 'nobody' });
  await project.run('call', 'slow_compute', '{"seconds":1,"label":"x"}', '--detach', '--', DEMO.command, ...DEMO.args);
  const resumed = await project.run('calls', 'resume');
  expect(resumed).toMatchObject({ code: 4, stdout: 'x: worked for 1 s\n' });
  expect(resumed.stderr).toContain('there is no server "nobody"');
  expect(resumed.stderr).toContain('calls that stay pending: 1');
});

it('[SEC-307] variables of the environment are put in when a server is started, and lie in no file of ours', async () => {
  const project = await openProject();
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how such files name variables
  const env = { GIVEN: '${PROJECT_TOKEN}' };
  await project.write('.mcp.json', { demo: { ...DEMO, env, args: [...DEMO.args] } });
  const call = ['call', 'slow_compute', '{"seconds":1,"label":"x"}', '--server', 'demo', '--detach', '--trust'];
  const { stdout } = await project.run(...call);
  const shown = await project.run('calls', 'show', stdout.trim(), '--json');
  expect(JSON.parse(shown.stdout)).toMatchObject({ origin: { spec: { env } } });
  const folder = join(project.base, 'state', 'holdfast', 'calls');
  for (const file of ['calls.db', 'trusted.json']) {
    expect(await readFile(join(folder, file), 'latin1')).not.toContain('token-of-the-user');
    expect((await stat(join(folder, file))).mode & 0o077).toBe(0);
  }
  expect(await project.run('calls', 'resume')).toMatchObject({ code: 0 });
});
