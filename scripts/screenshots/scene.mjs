// @ts-check
/** Prepares a sandbox with enough calls and prompts for screenshots. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { inRoot } from '../root.mjs';

const LONG_MS = 90_000;
const DIFF = `--- a/reports/2026.md
+++ b/reports/2026.md
@@ -1,4 +1,4 @@
 # Report of the year
-Orders: 12,400
+Orders: 12,431
 Returns: 210`;

export async function playScene() {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-scene-'));
  const main = inRoot('dist', 'cli', 'main.js');
  const child = spawn(process.execPath, [main, 'sandbox', '--json', '--port', '0', '--store', directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { url, port, token } = JSON.parse(line);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  /** @param {string} path @param {object} [body] @returns {Promise<any>} */
  const ask = async (path, body) => {
    const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
    return (await fetch(`http://127.0.0.1:${port}/api/${path}`, init)).json();
  };
  await until(async () =>
    (await ask('servers')).servers.every((/** @type {{ state: string }} */ { state }) => state === 'ready'),
  );
  await ask('story', {});
  await until(async () => ['done', 'failed'].includes((await ask('story')).step));
  const { taskId } = await ask('story');
  await play(ask);
  await writePrompts(join(directory, 'state', 'ui-prompts.jsonl'));
  await playClient(ask);
  await ask('async-test', { args: { message: 'hello' } });
  await until(async () => (await ask('async-test')).lines.length >= 4);
  return {
    url,
    screens: {
      calls: { path: '#/calls', waitFor: 'article.call' },
      tasks: { path: `#/tasks/${taskId}`, waitFor: '[data-kind=attempt][data-end=good]' },
      workers: { path: '#/workers', waitFor: '.histogram' },
      story: { path: '#/break', waitFor: '[data-step=done]' },
      prompts: { path: '#/prompts', waitFor: 'article.prompt-open' },
      test: { path: '#/test', waitFor: '.test-label' },
      run: { path: '#/run', waitFor: '.wire-read' },
    },
    async close() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      await rm(directory, { recursive: true, force: true, maxRetries: 50, retryDelay: 200 });
    },
  };
}

/**
 * Makes calls that end well or badly, one that asks a question and one that keeps running.
 * @param {(path: string, body?: object) => Promise<any>} ask
 */
async function play(ask) {
  /** @param {string} tool @param {object} args */
  const call = async (tool, args) => (await ask('calls', { server: 'demo', tool, args })).call.callId;
  /** @param {string} callId */
  const ended = (callId) => until(async () => (await ask(`calls/${callId}`)).call.state === 'ended');
  for (const ms of [400, 700, 900, 1500]) await ended(await call('sleep', { ms }));
  for (const name of ['Ada', 'Grace']) await ended(await call('greet', { name }));
  await ended(await call('fail', {}));
  const long = await call('sleep', { ms: LONG_MS, note: 'a long one' });
  await until(async () => (await ask(`calls/${long}`)).call.progress);
  const asking = await call('interview', { questions: ['Which quarter shall the report cover?'] });
  await until(async () => (await ask(`calls/${asking}`)).call.questions.length > 0);
}

/** Plays a client whose call takes longer than it waits. @param {(path: string, body?: object) => Promise<any>} ask */
async function playClient(ask) {
  const asked = { client: 'Claude Desktop', tool: 'sleep', args: { ms: 12_000 }, speed: 10 };
  const { run } = await ask('run-as', asked);
  await until(async () => (await ask(`run-as/${run.runId}`)).run.state === 'ended');
}

/** @param {string} path */
async function writePrompts(path) {
  const { createPromptLog } = await import(inRoot('dist', 'dialects', 'ui-prompts', 'index.js'));
  const log = createPromptLog({ path });
  const options = ['Every week', 'Every month'].map((label) => ({ value: label, label }));
  await log.request({ kind: 'choice', title: 'How often?', message: 'When the report is written anew.', options });
  const change = { kind: 'file_change_confirm', title: 'reports/2026.md', diff: DIFF, path: 'reports/2026.md' };
  await log.request(change);
  const fields = [
    { key: 'user', label: 'User', default: 'ada', required: true },
    { key: 'password', label: 'Password', secret: true, required: true },
  ];
  await log.request({ kind: 'kv', title: 'Access to the archive', fields });
}

/** @param {() => Promise<unknown>} isSo */
async function until(isSo) {
  for (let tries = 0; tries < 2400; tries++) {
    if (await isSo()) return;
    await pause(50);
  }
  throw new Error('the scene did not come about');
}
