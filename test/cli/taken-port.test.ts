import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { runCli } from './run-cli.ts';

it('[FIRST-314] demo --http on a taken port says which, what to do, and exits with 69', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  const { code, stderr } = await runCli(['demo', '--http', String(port), '--no-auth']);
  expect(stderr).toContain(`holdfast: port ${port} of 127.0.0.1 is taken by another program; end that one`);
  expect(code).toBe(69);
});
