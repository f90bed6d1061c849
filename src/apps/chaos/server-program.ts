/** The server of the workload: over HTTP, with a detached worker. Prints its port when it serves. */

import { createServer } from '../../index.ts';
import { openJournal } from './journal.ts';
import { readSurroundings } from './surroundings.ts';
import { callInput, createWorkload } from './workload.ts';

const { openStore, journalDir, leaseMs, port } = readSurroundings();
const server = createServer({
  name: 'chaos',
  version: '1.0.0',
  store: await openStore(),
  identity: 'chaos-server',
  leaseMs,
  idleMs: 2000,
  inlineMs: 300,
  // Longer than any outage of a plan: a plain client repeats its call until it gets an answer.
  unattendedMs: 600_000,
  joinMs: 600_000,
});
const workload = createWorkload(openJournal(journalDir, 'tool'));
for (const [name, tool] of Object.entries(workload)) server.tool(name, { input: callInput, ...tool });
const listening = await server.listen({ port, unprotected: true });
process.stdout.write(`${listening.port}\n`);
const close = () => {
  // Whoever holds a line open must not keep the process.
  void server.close().finally(() => process.exit());
};
process.on('SIGTERM', close);
