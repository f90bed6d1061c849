import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { endWorkers } from '../../../scripts/demo-server.mjs';
import { programPath } from '../../programs/program-path.js';
import { openSeededStore } from '../tasks/seeded-store.ts';
import { runOnTerminal } from './run-on-terminal.ts';

const SERVER = ['--pass-env=HOLDFAST_TEST_FILE', '--', process.execPath, programPath('nested-server.js')];

async function openDesk() {
  const cwd = await mkdtemp(join(tmpdir(), 'holdfast-desk-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  return { cwd, env: { HOLDFAST_DIR: cwd, EDITOR: '', VISUAL: '' } };
}

it('[FIRST-400] [FIRST-422] a nested form that the server refuses is asked for again, and the call comes back', async () => {
  const desk = await openDesk();
  onTestFinished(() => endWorkers(join(desk.cwd, 'holdfast', 'nested', 'tasks.db')));
  const call = runOnTerminal(['call', 'book', ...SERVER], desk);
  await call.type('name: ', 'Ada\r');
  await call.type('address.city: ', 'Rome\r');
  await call.type('address.zip: ', 'here\r');
  await call.type('name (Enter: "Ada"): ', '\r');
  await call.type('address.city (Enter: "Rome"): ', '\r');
  await call.type('address.zip (Enter: "here"): ', '00100\r');
  expect(await call.ended).toBe(0);
  expect(call.screen).toContain('It did not take the answer before:');
  expect(call.screen).toContain('address.zip: ');
  expect(call.screen).toContain('Ada goes to 00100 Rome');
  // The id of a call that is waited for is on the screen.
  expect(call.screen).toMatch(/call [0-9a-v]{6}: /);
});

it('[FIRST-414] tasks answer asks for what a task waits for', async () => {
  const seeded = await openSeededStore();
  onTestFinished(() => seeded.close());
  const { taskId } = await seeded.add();
  const address = { type: 'object', properties: { city: { type: 'string' } } };
  const schema = { type: 'object', required: ['address'], properties: { address } };
  const lease = await seeded.claim('render');
  await seeded.store.tasks.ask(lease, { key: 'q1', request: { kind: 'form', message: 'Where to?', schema } });
  const answer = runOnTerminal(['tasks', 'answer', taskId.slice(10, 16), '--store', seeded.path], await openDesk());
  await answer.type('address.city: ', 'Rome\r');
  expect(await answer.ended).toBe(0);
  expect(answer.screen).toContain('The tool render asks:');
  const [question] = (await seeded.get(taskId)).questions;
  expect(question?.answer).toEqual({ action: 'accept', content: { address: { city: 'Rome' } } });
});

it('[FIRST-419] the demo says on a terminal what it is and how to connect, and Ctrl-C ends it', async () => {
  const demo = runOnTerminal(['demo'], await openDesk());
  await demo.type('Ctrl-C ends it.', '\u0003');
  await demo.ended;
  expect(demo.screen).toContain('claude mcp add holdfast-demo -- npx holdfast demo');
  expect(demo.screen).toContain('confirm_delete');
});
