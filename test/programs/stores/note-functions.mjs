// @ts-check
/**
 * Loaded before a program (`node --import`): on SIGUSR2 writes which files of ours have run a function since the last
 * time, as JSON into the file that `NOTES` names.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
let turn = 0;
process.on('SIGUSR2', () => void note());

async function note() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result
    .filter(({ functions }) => functions.some(({ ranges: [whole] }) => (whole?.count ?? 0) > 0))
    .flatMap(({ url }) => /\/dist\/(.*)\.js$/.exec(url)?.[1] ?? []);
  turn += 1;
  const notes = `${process.env.NOTES}.${turn}`;
  writeFileSync(`${notes}.part`, JSON.stringify(ran));
  renameSync(`${notes}.part`, notes);
}
