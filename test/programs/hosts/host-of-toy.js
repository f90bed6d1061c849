// @ts-check
/**
 * A host with the toy dialect: takes up what is in the ledger, or makes a call, and notes each outcome that it takes.
 *
 * node host-of-toy.js DIR GATE; says `sent` when the call's handle is on disk, and ends when everything is taken.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost } from 'holdfast/host';
import { toyHost } from '../../dialects/toy/toy-host.js';
import { programPath } from '../program-path.js';

const [dir = '', gate = ''] = process.argv.slice(2);
const host = await createHost({
  ledger: join(dir, 'ledger', 'host.db'),
  dialects: [{ name: 'toy', host: async () => toyHost }],
});
const server = programPath('toy-server.js');
const calls = await host.resume();
await host.connect('toy', { command: process.execPath, args: [server, dir], passEnv: ['HOLDFAST_TEST_FILE'] });
if (calls.length === 0) calls.push(await host.call('toy', 'wait', { gate }));
await Promise.all(calls.map((call) => call.sent()));
process.stdout.write('sent\n');
for (const call of calls) {
  const outcome = await call.outcome();
  if (await call.ack()) appendFileSync(join(dir, 'delivered.txt'), `${JSON.stringify(outcome)}\n`);
}
await host.close();
