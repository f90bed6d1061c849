// @ts-check
/**
 * A program with an engine, to be run by tests: `engine-program.js <folder> <options as JSON>`.
 *
 * It serves until its stdin ends. Every line there is `["submit", tool, args, options]` and is answered by one line
 * with the task id. Runs of tools are noted in `<folder>/runs.txt`, one JSON line each.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createEngine, isWorker, openSqliteStore } from 'holdfast';

const [folder = '', optionsText = '{}'] = process.argv.slice(2);
const options = JSON.parse(optionsText);

/** @typedef {import('holdfast').TaskContext} TaskContext */

/** @param {TaskContext} task */
function note(task, what = 'ran') {
  const line = JSON.stringify({ what, taskId: task.taskId, attempt: task.attempt, pid: process.pid, isWorker });
  appendFileSync(join(folder, 'runs.txt'), `${line}\n`);
}

/** @param {number} ms */
function block(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Runs until a file of this name is in the folder. @param {{ until: string }} args @param {TaskContext} task */
async function hold(args, task) {
  note(task);
  while (!existsSync(join(folder, args.until))) await pause(10, undefined, { signal: task.signal });
  return { pid: process.pid, attempt: task.attempt };
}

/** Blocks for a time, or until a file is there. @param {{ ms?: number, until?: string }} args @param {TaskContext} task */
async function blockFirst(args, task) {
  note(task);
  // Something else must have begun before the thread stands still.
  while (!existsSync(join(folder, 'block'))) await pause(10);
  if (task.attempt === 1) {
    if (args.until === undefined) block(args.ms ?? 0);
    else while (!existsSync(join(folder, args.until))) block(10);
  }
  return { pid: process.pid, attempt: task.attempt };
}

/** @param {unknown} _args @param {TaskContext} task */
async function talk(_args, task) {
  note(task);
  await task.progress(0.5, 'half way');
  const made = await task.step('make', () => {
    note(task, 'step');
    return 'made';
  });
  const schema = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] };
  const answer = await task.ask({ message: 'Go on?', schema });
  return { made, answer, pid: process.pid };
}

/** Starts a program that outlives everybody who does not end it. @param {TaskContext} task */
async function startSleeper(task) {
  const child = await task.spawn('sleep', ['1000']);
  appendFileSync(join(folder, 'sleepers.txt'), `${child.pid}\n`);
}

const repeat = { firstDelayMs: 10, longestDelayMs: 10 };

const store = await openSqliteStore({ path: join(folder, 'tasks.db') });
const engine = await createEngine({
  name: 'engine-program',
  store,
  leaseMs: 2000,
  superviseMs: 50,
  idleMs: 200,
  abortGraceMs: 500,
  shutdownGraceMs: 500,
  ...options,
  outbox: options.outbox && { [options.outbox]: (message) => note(/** @type {never} */ (message.task), 'delivered') },
  tools: {
    where: { run: async () => ({ pid: process.pid, isWorker }) },
    hold: { idempotent: true, retry: repeat, run: hold },
    holdOnce: { run: hold },
    blockFirst: { idempotent: true, retry: repeat, run: blockFirst },
    blockOnce: { run: blockFirst },
    talk: { idempotent: true, run: talk },
    talkOnce: { run: talk },
    deaf: { run: () => new Promise(() => {}) },
    environment: {
      run: async (_args, task) => {
        const child = await task.spawn(process.execPath, ['-p', 'process.env.HOLDFAST_WORKER ?? "no token"']);
        return { isWorker, printed: (await text(child.stdout)).trim() };
      },
    },
    alone: { isolate: true, run: async () => ({ pid: process.pid, parent: process.ppid, isWorker }) },
    aloneHold: { isolate: true, run: hold },
    aloneTalk: { isolate: true, idempotent: true, run: talk },
    aloneExit: {
      isolate: true,
      run: (_args, task) => {
        note(task);
        process.exit(3);
      },
    },
    aloneExitFirst: {
      isolate: true,
      idempotent: true,
      retry: repeat,
      run: (_args, task) => {
        note(task);
        if (task.attempt === 1) process.exit(3);
        return { attempt: task.attempt };
      },
    },
    aloneSpin: {
      isolate: true,
      maxRunMs: 1500,
      run: async (_args, task) => {
        await startSleeper(task);
        note(task);
        for (;;);
      },
    },
    aloneStubborn: {
      isolate: true,
      run: async (_args, task) => {
        const child = await task.spawn('sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 0.1; done']);
        await once(child.stdout, 'data');
        return child.pid;
      },
    },
    aloneOrphan: {
      isolate: true,
      run: () => {
        spawn('sleep', ['20'], { stdio: 'inherit' });
        process.kill(process.pid, 'SIGKILL');
      },
    },
    aloneExitWithSleeper: {
      isolate: true,
      run: async (_args, task) => {
        await startSleeper(task);
        process.exit(3);
      },
    },
  },
});

await engine.start();

for await (const line of createInterface({ input: process.stdin })) {
  const [, tool, args, how] = JSON.parse(line);
  const { task } = await engine.submit(tool, args, how);
  process.stdout.write(`${task.taskId}\n`);
}
await engine.close();
await store.close();
