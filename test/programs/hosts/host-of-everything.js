// @ts-check
/**
 * A host that makes one long call to the server that is given.
 *
 * node host-of-everything.js LEDGER SECONDS COMMAND ARGS…; says `sent` when the work has begun, then prints the outcome.
 */
import { createHost } from 'holdfast/host';

const [ledger = '', seconds = '1', command = '', ...args] = process.argv.slice(2);
const host = await createHost({ ledger });
await host.connect('everything', { command, args, passEnv: ['HOLDFAST_TEST_FILE'], stderr: 'ignore' });
const work = { duration: Number(seconds), steps: 4 };
const call = await host.call('everything', 'trigger-long-running-operation', work, { key: 'the call' });
console.log('called');
for await (const { type } of call.updates()) if (type === 'progress') console.log('sent');
console.log(JSON.stringify(await call.outcome()));
