// @ts-check
import { until } from 'holdfast/testing';
import { z } from 'zod';

const TEXT = { type: 'text', text: 'no paper' };

/**
 * Tools for every way a task of 2025-11-25 can go. Those that wait do so until `release` is called.
 *
 * @param {import('holdfast').HoldfastServer} server
 */
export function addSpecTools(server) {
  /** @type {Set<string>} */
  const released = new Set();
  /** @param {string} gate @param {AbortSignal} [signal] */
  const untilReleased = (gate, signal) =>
    until(() => released.has(gate) || signal?.aborted, { what: `the release of ${gate}`, timeoutMs: 60_000 });
  const input = z.object({ gate: z.string().default('') });

  server.tool('release', { input, task: 'never', run: ({ gate }) => void released.add(gate) });
  server.tool('quick', { title: 'Quick', annotations: { readOnlyHint: true }, run: () => 'done' });
  server.tool('required', { task: 'always', run: () => 'done' });
  server.tool('hold', {
    input,
    async run({ gate }, task) {
      await untilReleased(gate, task.signal);
      return 'held';
    },
  });
  server.tool('steps', {
    async run(_, task) {
      for (const value of [0.25, 0.2, 0.5]) await task.progress(value, `at ${value}`);
      await untilReleased('steps', task.signal);
      await task.progress(0.75);
      await untilReleased('end', task.signal);
      return 'stepped';
    },
  });
  server.tool('stubborn', {
    async run(_, task) {
      await until(() => task.signal.aborted, { what: 'an end to the work' });
      released.add('stopped');
      return 'finished all the same';
    },
  });
  server.tool('stopped', { task: 'never', run: () => String(released.has('stopped')) });
  server.tool('rich', {
    output: z.object({ pages: z.number() }),
    run: () => ({
      content: [{ type: 'text', text: 'twelve pages' }],
      structuredContent: { pages: 12 },
      _meta: { 'example.com/tray': 2 },
    }),
  });
  server.tool('refuse', { run: () => ({ content: [TEXT], isError: true }) });
  server.tool('break', {
    run() {
      throw Object.assign(new Error('no such printer'), { code: -32050, data: { printer: 'p1' } });
    },
  });
  server.tool('absent', {
    run() {
      throw Object.assign(new Error('no such page'), { code: -32002 });
    },
  });
  addAskingTools(server);
}

/** @param {import('holdfast').HoldfastServer} server */
function addAskingTools(server) {
  const Sure = z.object({ sure: z.boolean() });
  server.tool('sure', {
    async run(_, task) {
      const { sure } = await task.ask({ message: 'Sure?', schema: Sure });
      return `sure: ${sure}`;
    },
  });
  server.tool('both', {
    async run(_, task) {
      const ask = (/** @type {string} */ key) => task.ask({ key, message: `${key}?`, schema: Sure });
      const [a, b] = await Promise.all([ask('a'), ask('b')]);
      return `${a.sure} and ${b.sure}`;
    },
  });
  server.tool('sample', {
    async run(_, task) {
      const messages = [{ role: 'user', content: { type: 'text', text: 'Say yes' } }];
      const answer = await task.ask({ sampling: { messages, maxTokens: 10 } });
      return JSON.stringify(/** @type {{ content: unknown }} */ (answer).content);
    },
  });
  server.tool('visit', {
    async run(_, task) {
      await task.ask({ message: 'Sign in', url: 'https://example.com/sign-in' });
      return 'signed in';
    },
  });
}
