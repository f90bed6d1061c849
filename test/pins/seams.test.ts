import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../src/', import.meta.url));

describe('the seams', () => {
  it('[STORE-01] a new store has exactly these task verbs to write', async () => {
    const text = await readFile(join(src, 'store', 'contracts', 'task-contract.ts'), 'utf8');
    const body = /^export interface TaskStore \{$([\s\S]*?)^\}$/m.exec(text)?.[1] ?? '';
    const verbs = [...body.matchAll(/^ {2}(\w+)\(/gm)].map(([, verb]) => verb);
    expect(verbs).toEqual([
      'create',
      'get',
      'list',
      'claim',
      'holds',
      'write',
      'ask',
      'answer',
      'release',
      'settle',
      'recover',
      'sweep',
      'events',
      'steps',
      'durations',
      'backlog',
    ]);
  });

  it('[STORE-08] one file names the SQLite drivers', async () => {
    const files = (await readdir(src, { recursive: true })).filter((file) => file.endsWith('.ts'));
    const naming: string[] = [];
    for (const file of files) {
      const text = await readFile(join(src, file), 'utf8');
      if (/['"](?:node:sqlite|@photostructure\/sqlite)['"]/.test(text)) naming.push(file);
    }
    expect(naming).toEqual([join('sqlite', 'driver.ts')]);
  });
});
