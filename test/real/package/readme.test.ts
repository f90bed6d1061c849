/** The README once more, with the package as npm installs it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDesk } from '../../docs/open-desk.ts';
import { untilQuiet } from '../../docs/reports-store.ts';
import { typePage } from '../../docs/type-page.ts';
import { runCommand } from '../../pins/run-command.ts';
import { packCheckout } from './pack-checkout.ts';

const PACK_INSTALL_AND_TYPE_MS = 900_000;

it('[FIRST-504] can be followed in an empty folder with the packed package', {
  timeout: PACK_INSTALL_AND_TYPE_MS,
}, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-readme-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const tarball = await packCheckout(dir);
  // With the user's own settings of npm, and not in the home of the desk, which has none.
  const install = async (folder: string) => {
    const { code, output } = await runCommand(['npm', 'i', tarball, 'zod', '--prefer-offline'], { cwd: folder });
    expect(code, output).toBe(0);
  };
  await using desk = await openDesk({ install });
  expect(await typePage('README.md', desk)).toContain('js');
  await untilQuiet(desk);
});
