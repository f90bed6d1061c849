import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/sqlite/open.ts';
import { programPath } from '../programs/program-path.js';
import { namesIn, Scratch } from './scratch.ts';

const PROGRAM = programPath('open-database.js');
const PROCESSES = 8;
const DATABASES = 9;
const SCHEMA = { applicationId: 4711, migrations: ['CREATE TABLE item (name TEXT)', 'CREATE TABLE other (x)'] };

const scratch = new Scratch();

it('[STORE-13] lets many processes make, migrate and write the same new databases at once', async () => {
  const children = Array.from({ length: PROCESSES }, () => {
    const env = { ...process.env, NODE_NO_WARNINGS: '1' };
    const child = spawn(process.execPath, [PROGRAM, scratch.directory, `${DATABASES}`], { env });
    const errors: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    const closed = once(child, 'close').then(([code]) => ({ code, errors: Buffer.concat(errors).toString() }));
    return { child, closed, ready: once(child.stdout, 'data') };
  });
  await Promise.all(children.map(({ ready }) => ready));

  for (const { child } of children) child.stdin.end();

  const ends = await Promise.all(children.map(({ closed }) => closed));
  expect(ends).toEqual(Array(PROCESSES).fill({ code: 0, errors: '' }));
  for (let i = 0; i < DATABASES; i += 1) {
    const db = openDatabase({ path: scratch.path(`${i}`, 'items.db'), schema: SCHEMA });
    expect(new Set(namesIn(db)).size).toBe(PROCESSES);
    db.close();
  }
});
