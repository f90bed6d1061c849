// @ts-check
/**
 * A host that makes calls to a server over HTTP, says when the server has them, and stays.
 *
 * node host-of-url.js LEDGER URL TOOL LABEL…; each label is the argument of one call.
 */
import { createHost } from 'holdfast/host';
import { until } from 'holdfast/testing';

const [ledger = '', url = '', tool = '', ...labels] = process.argv.slice(2);
const host = await createHost({ ledger, onQuestion: () => new Promise(() => {}) });
await host.connect('foreign', { url });
const calls = await Promise.all(labels.map((label) => host.call('foreign', tool, { gate: label, label })));
await Promise.all(calls.map((call) => call.sent()));
process.stdout.write('sent\n');
await until(() => false, { timeoutMs: 600_000 });
