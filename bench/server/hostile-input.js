// @ts-check
/** What does a request that is made to be expensive cost, compared with an ordinary one of the same size in bytes? */
import { interleave, toMedian, toRatio } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';
import { openClient } from './raw-client.js';

const [transport = 'stdio'] = /** @type {('stdio' | 'http')[]} */ (process.argv.slice(2));
const ROUNDS = isQuick ? 1 : 7;
const CALLS = isQuick ? 2 : 20;
const LONG_NAME = 'aB'.repeat(100_000);

/** @param {number} count */
const toMembers = (count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));

/** Tool, arguments and `_meta` of the hostile request; the ordinary one has the same number of bytes in one text. */
const CASES = [
  { what: 'name', name: LONG_NAME, tool: 'plain', extra: {}, meta: {}, aim: '<=2' },
  { what: 'meta', tool: 'plain', extra: {}, meta: toMembers(120_000), isRefused: true, aim: '<=2' },
  { what: 'members', tool: 'work', extra: toMembers(120_000), meta: {}, isRefused: true, aim: '<=2' },
  { what: 'allowed', tool: 'work', extra: toMembers(19_000), meta: {} },
];

await withTempDir(async (dir) => {
  for (const one of CASES) await measure(dir, one);
});

/**
 * @param {string} dir
 * @param {{ what: string, name?: string, tool: string, extra: object, meta: object, isRefused?: boolean, aim?: string }} one
 */
async function measure(dir, { what, name = 'bench', tool, extra, meta, isRefused = false, aim }) {
  const options = { dir, transport, era: /** @type {const} */ ('modern'), tasks: false };
  const hostile = await openClient('server-holdfast.js', { ...options, name });
  const ordinary = await openClient('server-holdfast.js', options);
  const bytes = JSON.stringify([name, extra, meta]).length;
  const bad = { name: tool, arguments: { ms: 0, ...extra }, _meta: meta };
  const good = { name: tool, arguments: { ms: 0, text: 'x'.repeat(bytes) } };
  const figures = await interleave(ROUNDS, {
    hostile: () => toMs(hostile, () => expectAnswer(hostile.request('tools/call', bad), isRefused)),
    ordinary: () => toMs(ordinary, () => expectAnswer(ordinary.request('tools/call', good), false)),
  });
  print({
    bench: 'hostile-input',
    what,
    transport,
    ...toRatio(figures.hostile, figures.ordinary),
    ...(aim !== undefined && { aim }),
    hostileMs: toMedian(figures.hostile),
    ordinaryMs: toMedian(figures.ordinary),
    bytes,
    calls: CALLS,
    rounds: ROUNDS,
  });
  await Promise.all([hostile.close(), ordinary.close()]);
}

/**
 * The processor time that one call costs the server, in ms; the client's cost to write the request is not included.
 *
 * @param {import('./raw-client.js').Client} client
 * @param {() => Promise<void>} call
 */
async function toMs(client, call) {
  const readCpu = async () =>
    Number((await client.request('tools/call', { name: 'cpu', arguments: {} })).content[0].text);
  const since = await readCpu();
  for (let count = 0; count < CALLS; count++) await call();
  return ((await readCpu()) - since) / CALLS;
}

/**
 * @param {Promise<{ content?: readonly { text?: string }[] }>} answer
 * @param {boolean} isRefused
 */
async function expectAnswer(answer, isRefused) {
  const seen = await answer.then(
    ({ content }) => content?.[0]?.text ?? '',
    (error) => (/at most/.test(error.message) ? 'refused' : String(error)),
  );
  if (seen !== (isRefused ? 'refused' : 'done')) throw new Error(`the answer was ${seen}`);
}
