/** What other users of the machine see of the processes of ours. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { EngineOptions, Json } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli, startCli, withMark } from '../../cli/run-cli.ts';
import { openRig } from '../../engine/open-rig.ts';
import { builtPath } from '../../programs/program-path.js';
import { PATIENT } from '../patient.ts';

const SECRET = 'sk-very-secret-1';
const DEMO = [process.execPath, builtPath('cli/main.js'), 'demo', '--conformance'];
const SCHEMA = { type: 'object', properties: { password: { type: 'string', format: 'password' } } };

const TOOLS: EngineOptions['tools'] = {
  logIn: {
    async run(_args: Json, task) {
      const { password } = (await task.ask({ message: 'Who are you?', schema: SCHEMA })) as { password: string };
      return password === SECRET;
    },
  },
};

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-line-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('a command line', () => {
  it.runIf(process.platform === 'linux')(
    '[SEC-543] with JSON is not there for others while the call runs',
    async () => {
      const folder = await openFolder();
      const args = withMark(['call', 'sleep', JSON.stringify({ ms: 300_000, apiKey: SECRET }), '--redact', 'apiKey']);
      const child = startCli([...args, '--', ...DEMO], { HOLDFAST_DIR: folder }, folder);
      const ended = new Promise((resolve) => child.once('exit', resolve));
      const remarks: string[] = [];
      child.stderr.on('data', (chunk) => remarks.push(String(chunk)));
      await until(() => remarks.join('').includes('working'), { what: 'the call', timeoutMs: 60_000 });
      // Of mode 0444, as long as the process lives.
      const seen = await readFile(`/proc/${child.pid}/cmdline`, 'utf8');
      child.kill('SIGINT');
      await ended;
      expect(seen).toContain('holdfast call');
      expect(seen).not.toContain(SECRET);
    },
  );

  it('[SEC-544] takes an answer from stdin, and arguments too', async () => {
    const rig = await openRig();
    const engine = await rig.engine(TOOLS, PATIENT);
    const { task } = await engine.submit('logIn');
    await until(async () => (await engine.get(task.taskId)).status === 'input_required');
    const answering = startCli(['tasks', 'answer', task.taskId, '-', '--store', rig.path]);
    answering.stdin.end(JSON.stringify({ password: SECRET }));
    expect(await text(answering.stdout)).toContain('answered q1');
    expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: true });
    const folder = await openFolder();
    const calling = startCli([...withMark(['call', 'greet', '-']), '--', ...DEMO], { HOLDFAST_DIR: folder }, folder);
    calling.stdin.end('{"name":"Ada"}');
    expect(await text(calling.stdout)).toContain('Hello, Ada!');
  });

  it('[SEC-544] does not repeat JSON that is none, which may be a secret', async () => {
    const rig = await openRig();
    const engine = await rig.engine(TOOLS, PATIENT);
    const { task } = await engine.submit('logIn');
    for (const args of [
      ['tasks', 'answer', task.taskId, SECRET, '--store', rig.path],
      ['call', 'greet', `{"apiKey":"${SECRET}"`, '--ledger', join(rig.folder, 'calls.db'), '--', ...DEMO],
    ]) {
      const refused = await runCli([...args.slice(0, 1), '--json', ...args.slice(1)]);
      expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('- for stdin') });
      expect(refused.stderr).not.toContain(SECRET);
    }
  });
});
