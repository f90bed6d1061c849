// @ts-check
/**
 * Writes tasks into a store as fast as it can, beside its siblings, and prints how far it got.
 *
 * node many-writers.js PATH COUNT; begins when its standard input ends.
 */
import { createEngine, openSqliteStore } from 'holdfast';

const [path = '', count = '0'] = process.argv.slice(2);
const store = await openSqliteStore({ path });
const engine = await createEngine({ name: 'writers', identity: 'writers', store, tools: { note: { run: () => 1 } } });

process.stdout.write('ready\n');
for await (const _ of process.stdin);

let turns = 0;
const timer = setInterval(() => turns++, 1);
for (let i = 0; i < Number(count); i += 1) await engine.submit('note', { i });
clearInterval(timer);
await engine.close();
await store.close();
process.stdout.write(JSON.stringify({ written: Number(count), turns }));
