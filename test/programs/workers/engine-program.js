// @ts-check
/**
 * A program with an engine, to be run by tests: `engine-program.js <folder> <options as JSON>`.
 *
 * It serves until its stdin ends. While there is a file `no-workers` in the folder, its detached workers end at once. Every line there is `["submit", tool, args, options]` and is answered by one line
 * with the task id. Runs of tools are noted in `<folder>/runs.txt`, one JSON line each.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { aesGcmCodec, createEngine, isWorker } from 'holdfast';
import { openOwnStore } from '../stores/own-store.js';

const [folder = '', optionsText = '{}'] = process.argv.slice(2);
const { codecKey, onlyOnce, ...options } = JSON.parse(optionsText);
// As a program that cannot be run twice at a time, and knows nothing of workers.
if (onlyOnce && isWorker) process.exit(9);
const codec = codecKey && aesGcmCodec({ keys: [codecKey] });

// Workers that cannot start, as long as the file is there.
if (isWorker && existsSync(join(folder, 'no-workers'))) process.exit(9);
const runs = join(folder, 'runs.txt');

/** @typedef {import('holdfast').TaskContext} TaskContext */

/** @param {TaskContext} task */
function note(task, what = 'ran') {
  const line = JSON.stringify({ what, taskId: task.taskId, attempt: task.attempt, pid: process.pid, isWorker });
  appendFileSync(runs, `${line}\n`);
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

/** The first run of a task blocks for a time, or until a file is there. @param {{ ms?: number, until?: string }} args @param {TaskContext} task */
async function blockFirst(args, task) {
  const isFirst = !(existsSync(runs) && readFileSync(runs, 'utf8').includes(task.taskId));
  note(task);
  // Something else must have begun before the thread stands still.
  while (!existsSync(join(folder, 'block'))) await pause(10);
  if (isFirst) {
    if (args.until === undefined) block(args.ms ?? 0);
    else while (!existsSync(join(folder, args.until))) block(10);
  }
  return { pid: process.pid, attempt: task.attempt };
}

/** Runs until there is a file `crash`, and then takes its process with it. @param {unknown} _args @param {TaskContext} task */
async function crash(_args, task) {
  note(task);
  while (!existsSync(join(folder, 'crash'))) await pause(10, undefined, { signal: task.signal });
  process.kill(process.pid, 'SIGSEGV');
  await pause(60_000);
}

/** Runs until there is a file `stray`, leaves a rejection to nobody, and goes on. @param {unknown} _args @param {TaskContext} task */
async function stray(_args, task) {
  note(task);
  while (!existsSync(join(folder, 'stray'))) await pause(10, undefined, { signal: task.signal });
  void Promise.reject(new Error('nobody takes this'));
  await pause(60_000, undefined, { signal: task.signal });
}

/** Runs until there is a file `leave`, and ends its process. @param {unknown} _args @param {TaskContext} task */
async function leave(_args, task) {
  note(task);
  while (!existsSync(join(folder, 'leave'))) await pause(10, undefined, { signal: task.signal });
  process.exit(3);
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

/** Asks for a password, and says how long it is. @param {unknown} _args @param {TaskContext} task */
async function logIn(_args, task) {
  note(task);
  const schema = {
    type: 'object',
    properties: { user: { type: 'string' }, password: { type: 'string', writeOnly: true } },
  };
  const answer = await task.ask({ message: 'Who are you?', schema });
  const { password } = /** @type {{ password: string }} */ (answer);
  note(task, `password of ${password.length} characters, ${[...password].reverse().join('')}`);
  while (!existsSync(join(folder, 'logged-in'))) await pause(10, undefined, { signal: task.signal });
  return { length: password.length };
}

/** Starts a program that outlives everybody who does not end it. @param {TaskContext} task */
async function startSleeper(task) {
  const child = await task.spawn('sleep', ['1000']);
  appendFileSync(join(folder, 'sleepers.txt'), `${child.pid}\n`);
}

const repeat = { firstDelayMs: 10, maxDelayMs: 10 };

const store = await openOwnStore(folder);
const engine = await createEngine({
  name: 'engine-program',
  store,
  leaseMs: 2000,
  superviseMs: 50,
  idleMs: 200,
  abortGraceMs: 500,
  shutdownGraceMs: 500,
  ...options,
  ...(codec && { codec }),
  outbox: options.outbox && { [options.outbox]: (message) => note(/** @type {never} */ (message.task), 'delivered') },
  tools: {
    where: { run: async () => ({ pid: process.pid, isWorker }) },
    hold: { idempotent: true, retry: repeat, run: hold },
    holdOnce: { run: hold },
    inLine: { idempotent: true, retry: repeat, queue: () => 'line', run: hold },
    inLineOnce: { queue: () => 'line', run: hold },
    blockFirst: { idempotent: true, retry: repeat, run: blockFirst },
    blockOnce: { run: blockFirst },
    crash: { idempotent: true, retry: repeat, run: crash },
    strayOnce: { run: stray },
    leaveOnce: { run: leave },
    talk: { idempotent: true, run: talk },
    talkOnce: { run: talk },
    logIn: { idempotent: true, retry: repeat, run: logIn },
    holdWithChild: {
      idempotent: true,
      retry: repeat,
      run: async (/** @type {{ until: string }} */ args, task) => {
        await startSleeper(task);
        return hold(args, task);
      },
    },
    echo: { redact: ['apiKey'], run: (args) => args },
    aloneEcho: { isolate: true, redact: ['apiKey'], run: (args) => args },
    deaf: {
      run: (_args, task) => {
        note(task);
        return new Promise(() => {});
      },
    },
    environment: {
      run: async (_args, task) => {
        const child = await task.spawn(process.execPath, ['-p', 'process.env.HOLDFAST_WORKER ?? "no token"']);
        return { isWorker, printed: (await text(child.stdout)).trim() };
      },
    },
    alone: { isolate: true, run: async () => ({ pid: process.pid, parent: process.ppid, isWorker }) },
    aloneHold: { isolate: true, run: hold },
    aloneIdle: {
      isolate: true,
      run: async (_args, task) => {
        note(task);
        return task.idle(async () => {
          while (!existsSync(join(folder, 'go'))) await pause(10, undefined, { signal: task.signal });
          return process.pid;
        });
      },
    },
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
    aloneCrash: { isolate: true, run: crash },
    aloneSpin: {
      isolate: true,
      maxRunMs: 1500,
      run: async (_args, task) => {
        await startSleeper(task);
        note(task);
        for (;;) block(60_000);
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
