/** What root, or a careless owner, does in a directory that another user of the machine can write to. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, link, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLocalKey } from '../../src/codec/local-key.ts';
import { findAudit } from '../../src/engine/audit.ts';
import { openRig } from '../engine/open-rig.ts';
import { programPath } from '../programs/program-path.js';

const SWAP_DRAFTS = programPath('swap-drafts.js');
const AUDIT = new URL('../../dist/engine/audit.js', import.meta.url).href;
const NOBODY = 65534;
const ENTRY = { at: 1, action: 'pruned', by: { operator: 'root' } } as const;

/** A directory of another user's, who may reach it, beside a file of ours. */
async function openForeign() {
  const base = await mkdtemp(join(tmpdir(), 'holdfast-foreign-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const folder = join(base, 'theirs');
  await mkdir(folder, { mode: 0o700 });
  await Promise.all([base, folder].map((path) => chown(path, NOBODY, NOBODY)));
  const ours = join(base, 'ours');
  await writeFile(ours, 'ours', { mode: 0o600 });
  return { folder, ours };
}

describe.runIf(process.getuid?.() === 0)("root in another user's directory", () => {
  it('[SEC-540] makes a key that its owner can read', async () => {
    const { folder } = await openForeign();
    const key = openLocalKey(folder);
    expect(openLocalKey(folder)).toEqual(key);
    expect(await stat(join(folder, 'local.key'))).toMatchObject({ uid: NOBODY, gid: NOBODY, mode: 0o100600 });
  });

  it('[SEC-540] gives no file away that a link was led to while the key was made', async () => {
    const { folder, ours } = await openForeign();
    const attacker = spawn(process.execPath, [SWAP_DRAFTS, folder, ours], {
      uid: NOBODY,
      gid: NOBODY,
      cwd: '/',
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(attacker.stdout, 'data');
    for (let tries = 0; tries < 100 && (await stat(ours)).uid === 0; tries++) {
      try {
        openLocalKey(folder);
      } catch {
        // A link was left in the place of the key, and refused.
      }
      await rm(join(folder, 'local.key'), { force: true });
    }
    attacker.stdin.end();
    await once(attacker, 'exit');
    expect(await stat(ours)).toMatchObject({ uid: 0, gid: 0, mode: 0o100600 });
  });

  it("[SEC-541] begins an audit file that its owner's engines can go on with", async () => {
    const { folder, ours } = await openForeign();
    const path = join(folder, 'audit.jsonl');
    await writeFile(path, '');
    const errors: unknown[] = [];
    findAudit(folder, (error) => errors.push(error))?.(ENTRY);
    expect(await stat(path)).toMatchObject({ uid: NOBODY, gid: NOBODY, mode: 0o100600 });
    await rm(path);
    await link(ours, path);
    expect(() => findAudit(folder, (error) => errors.push(error))).toThrow('has a second name');
    expect(await stat(ours)).toMatchObject({ uid: 0, size: 4 });
    expect(errors).toEqual([]);
  });

  it('[SEC-541] is not held up by a pipe in the place of an audit file', async () => {
    const { folder } = await openForeign();
    execFileSync('mkfifo', [join(folder, 'audit.jsonl')]);
    const look = `import { findAudit } from ${JSON.stringify(AUDIT)}; findAudit(${JSON.stringify(folder)}, () => {});`;
    const looking = promisify(execFile)(process.execPath, ['--input-type=module', '-e', look], { timeout: 30_000 });
    await expect(looking).rejects.toMatchObject({ killed: false, stderr: expect.stringContaining('ENXIO') });
  });
});

describe('a store that others can write', () => {
  it('[SEC-547] is told of before anything of it is run', async () => {
    const rig = await openRig();
    await chmod(rig.folder, 0o777);
    await rig.idleEngine({});
    expect(rig.takeErrors().map(String)).toEqual([expect.stringContaining('can be written by everybody')]);
    await chmod(rig.folder, 0o700);
    await rig.idleEngine({});
    expect(rig.takeErrors()).toEqual([]);
  });
});
