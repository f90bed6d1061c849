#!/usr/bin/env node
// @ts-check
/**
 * Stands in for `codex exec --json`. What it does is said by words in the prompt; `FAKE_CODEX_LOG` names a file that
 * gets one line of JSON for each execution: its arguments, directory, prompt and pid.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '../../dist/testing/until.js';

const args = process.argv.slice(2);
const cwd = args[args.indexOf('--cd') + 1] ?? process.cwd();
const at = args.indexOf('resume');
const prompt = await text(process.stdin);
const LOST = toThread(0);
const thread = at === -1 ? toFresh() : args.at(-1);
note({ args, cwd: process.cwd(), prompt, pid: process.pid });

/** @type {Record<string, () => Promise<void> | void>} */
const PLAYS = {
  works,
  crashes,
  hangs,
  floods,
  endless,
  garbles,
  noisy,
  lingers,
  stubborn,
  silent,
  plans,
  long,
  retries,
  loses,
  dies,
};

/** A thread, as Codex names them. @param {number} number */
function toThread(number) {
  return `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

function toFresh() {
  if (prompt.includes('misleads!')) return '--dangerously-bypass-approvals-and-sandbox';
  return prompt.includes('loses!') ? LOST : toThread(process.pid);
}

/** @param {object} line */
function note(line) {
  const file = process.env.FAKE_CODEX_LOG;
  if (file) appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** @param {object} event */
function say(event) {
  return new Promise((resolve) => process.stdout.write(`${JSON.stringify(event)}\n`, resolve));
}

/** @param {string} message */
async function answer(message) {
  await say({ type: 'item.completed', item: { id: 'item_9', type: 'agent_message', text: message } });
  await say({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });
}

/** A command and an edit, then the answer. */
async function works() {
  const command = {
    id: 'item_1',
    type: 'command_execution',
    command: 'echo hi',
    aggregated_output: '',
    exit_code: null,
  };
  await say({ type: 'item.started', item: { ...command, status: 'in_progress' } });
  await say({
    type: 'item.completed',
    item: { ...command, aggregated_output: 'hi\n', exit_code: 0, status: 'completed' },
  });
  writeFileSync(join(cwd, 'edited.txt'), prompt);
  const changes = [{ kind: 'add', path: 'edited.txt' }];
  await say({ type: 'item.completed', item: { id: 'item_2', type: 'file_change', status: 'completed', changes } });
  await answer(`did: ${prompt}`);
}

async function crashes() {
  await say({ type: 'turn.failed', error: { message: 'the model gave up' } });
  process.exitCode = 3;
}

function dies() {
  process.kill(process.pid, 'SIGKILL');
}

/** Until a file `go` is in its directory, or for ever. */
async function hangs() {
  await until(() => existsSync(join(cwd, 'go')), { timeoutMs: Infinity });
  await answer(`did: ${prompt}`);
}

/** 100 MB in lines of 1 MB. */
async function floods() {
  const output = 'x'.repeat(1_000_000);
  for (let i = 0; i < 100; i++) {
    await say({
      type: 'item.completed',
      item: { id: `item_${i}`, type: 'command_execution', aggregated_output: output },
    });
  }
  await answer('flooded');
}

/** 100 MB without an end of line. */
async function endless() {
  const chunk = 'y'.repeat(1_000_000);
  for (let i = 0; i < 100; i++) await new Promise((resolve) => process.stdout.write(chunk, resolve));
  process.stdout.write('\n');
  await answer('after an endless line');
}

async function garbles() {
  process.stdout.write('this is no JSON\n{"type": \n[1]\n\n');
  await answer('garbled');
}

async function noisy() {
  process.stderr.write('Reading prompt from stdin...\n');
  process.stderr.write('z'.repeat(60_000));
  await answer('noisy');
}

/** Answers, and takes its time to go; what it started holds its output open. */
async function lingers() {
  spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: ['ignore', 'inherit', 'inherit'] }).unref();
  await answer('lingered');
  setTimeout(() => process.exit(0), 300);
}

/** Has a child that does not heed SIGTERM. */
async function stubborn() {
  const code = "process.on('SIGTERM', () => {}); process.stdout.write('up'); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  note({ grandchild: child.pid });
  await hangs();
}

async function silent() {
  await say({ type: 'turn.completed', usage: {} });
}

async function plans() {
  const list = (/** @type {boolean} */ completed) => [
    { text: 'look', completed },
    { text: 'leap', completed: false },
  ];
  await say({ type: 'item.started', item: { id: 'todo_1', type: 'todo_list', items: list(false) } });
  await say({ type: 'item.updated', item: { id: 'todo_1', type: 'todo_list', items: list(true) } });
  await answer('planned');
}

/** More than fits a result; ends in a pair of surrogates at every cut. */
async function long() {
  await answer('😀'.repeat(700_000));
}

/** Begins a thread that cannot be resumed. */
function loses() {
  return answer('lost');
}

/** As without a network. */
async function retries() {
  setInterval(() => void say({ type: 'error', message: 'Reconnecting... waiting for network' }), 20);
  await new Promise(() => {});
}

if (at !== -1 && thread === LOST) {
  process.stderr.write('no rollout found\n');
  process.exit(1);
}
await say({ type: 'thread.started', thread_id: thread });
await say({ type: 'turn.started' });
const [, word = 'works'] = /\b(\w+)!/.exec(prompt) ?? [];
await (PLAYS[word] ?? works)();
