import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { startCli } from '../run-cli.ts';

it('ends well and without a word when nobody reads its output any more', async () => {
  const child = startCli(['tasks', '--help']);
  child.stdout.destroy();
  const [[code], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  expect([code, stderr]).toEqual([0, '']);
});

it('keeps its exit code when nobody reads its errors', async () => {
  const child = startCli(['tasks', 'list', '--store', '/no/such/tasks.db']);
  child.stderr.destroy();
  const [code] = await once(child, 'exit');
  expect(code).toBe(66);
});
