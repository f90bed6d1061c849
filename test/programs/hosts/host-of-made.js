// @ts-check
/**
 * A host that makes one call to a server, takes its outcome and prints it.
 *
 * node host-of-made.js LEDGER SPEC TOOL GATE [POINT]; SPEC is JSON, and it is killed when it comes to POINT.
 */
import { createHost } from 'holdfast/host';
import { armCrashPoint } from 'holdfast/testing';

const [ledger = '', spec = '', tool = '', gate = '', point] = process.argv.slice(2);
const host = await createHost({ ledger, onQuestion: () => new Promise(() => {}) });
await host.connect('made', JSON.parse(spec));
if (point !== undefined) armCrashPoint(point);
const call = await host.call('made', tool, { gate }, { key: 'the call' });
console.log(JSON.stringify(await call.outcome()));
await call.ack();
await host.close();
