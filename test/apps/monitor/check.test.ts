import { mkdir, rm, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openScene } from './open-scene.ts';

const MISSING = { is_monitored: false, reason: 'does not exist' };
const OUTSIDE = { is_monitored: false, reason: 'lies outside the allowed roots' };

describe('a path that is checked', () => {
  it('[FIRST-512] is not monitored when nothing lies there, and what was known of it is still told', async () => {
    const { monitor, at, sync } = await openScene({ 'a.txt': 'a' });
    await sync();
    expect(monitor.check(at('a.txt'))).toMatchObject({ is_monitored: true, reason: expect.stringContaining('/') });
    await rm(at('a.txt'));
    expect(monitor.check(at('a.txt'))).toMatchObject({ ...MISSING, record: { bytes: 1 } });
    expect(monitor.check(at('never', 'there.txt'))).toMatchObject({ ...MISSING, record: null });
    expect(monitor.check(at('never.txt')).decisions.at(-1)).toEqual({ symbol: '-', message: 'does not exist' });
  });

  it('[FIRST-512] outside the allowed roots is the same whether it exists or not, whatever links lead there', async () => {
    const { monitor, at, configure } = await openScene({ 'out/a.txt': 'a', 'in/b.txt': 'b' });
    await symlink(at('out'), at('in/link'));
    await mkdir(at('in/empty'));
    await configure({ allowed_roots: [at('in')] });
    for (const names of [
      ['out', 'a.txt'],
      ['out', 'no.txt'],
      ['in', 'link', 'a.txt'],
      ['in', 'link', 'no', 'no.txt'],
    ]) {
      expect(monitor.check(at(...names)), names.join('/')).toMatchObject(OUTSIDE);
    }
    expect(monitor.check(at('in', 'b.txt'))).toMatchObject({ is_monitored: true });
    expect(monitor.check(at('in', 'empty', 'no.txt'))).toMatchObject(MISSING);
  });
});
