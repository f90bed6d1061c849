/** The pages that a newcomer follows, typed with the package as npm installs it; `type-page.ts` says what that means. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDesk } from '../../docs/open-desk.ts';
import { untilQuiet } from '../../docs/reports-store.ts';
import { typePage } from '../../docs/type-page.ts';
import { runCommand } from '../../pins/run-command.ts';
import { packCheckout } from './pack-checkout.ts';

const PACK_MS = 300_000;
const INSTALL_AND_TYPE_MS = 600_000;

let dir = '';
let tarball = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-pages-'));
  tarball = await packCheckout(dir);
}, PACK_MS);

afterAll(() => rm(dir, { recursive: true, force: true }));

/** With the user's own settings of npm, and not in the home of the desk, which has none. */
async function install(folder: string): Promise<void> {
  const { code, output } = await runCommand(['npm', 'i', tarball, 'zod', '--prefer-offline'], { cwd: folder });
  expect(code, output).toBe(0);
}

it('[FIRST-504] whoever types the README gets every output that it shows', {
  timeout: INSTALL_AND_TYPE_MS,
}, async () => {
  await using desk = await openDesk({ install });
  expect(await typePage('README.md', desk)).toContain('js');
  await untilQuiet(desk);
});

it('[FIRST-502] whoever types the tutorial gets every output that it shows, and a server by every snippet', {
  timeout: INSTALL_AND_TYPE_MS,
}, async () => {
  await using desk = await openDesk({ install });
  expect(new Set(await typePage('docs/tutorial.md', desk))).toEqual(new Set(['sh', 'js', 'text', 'json', 'toml']));
  await untilQuiet(desk);
});
