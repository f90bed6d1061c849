/** The server of the workload: over HTTP, with a detached worker. Prints its port when it is listening. */

import { createServer } from '../../index.ts';
import { readChaosEnvironment } from './chaos-environment.ts';
import { openJournal } from './journal.ts';
import { callInput, createWorkload } from './workload.ts';

const { openStore, journalDir, leaseMs, port } = readChaosEnvironment();
const server = createServer({
  name: 'chaos',
  version: '1.0.0',
  store: await openStore(),
  identity: 'chaos-server',
  leaseMs,
  idleMs: 2000,
  inlineMs: 300,
  // Longer than any outage of a plan: a plain client repeats its call until it gets a response.
  unattendedMs: 600_000,
  joinMs: 600_000,
});
const workload = createWorkload(openJournal(journalDir, 'tool'));
for (const [name, tool] of Object.entries(workload)) server.tool(name, { input: callInput, ...tool });
const listening = await server.listen({ port, unprotected: true });
process.stdout.write(`${listening.port}\n`);
const close = () => {
  // A client that keeps a connection open must not keep the process alive.
  void server.close().finally(() => process.exit());
};
process.on('SIGTERM', close);
