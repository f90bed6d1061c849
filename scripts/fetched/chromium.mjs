// @ts-check
import { existsSync } from 'node:fs';
import { run } from '../run.mjs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** The path of a browser for the page's tests: `$HOLDFAST_CHROMIUM`, or a usual system path. */
export function findChromium() {
  const named = process.env.HOLDFAST_CHROMIUM;
  return [...(named ? [named] : []), ...PLACES].find((path) => existsSync(path));
}

/** Installs one where that needs no confirmation: as root on Debian and its derivatives. */
export async function installChromium() {
  if (findChromium() !== undefined) return;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('Installing chromium for the tests of the page…');
    const install = ['install', '-y', '--no-install-recommends', 'chromium'];
    const code =
      (await run('apt-get', ['update', '-qq'], { quiet: true })) || (await run('apt-get', install, { quiet: true }));
    if (code === 0 && findChromium() !== undefined) return;
  }
  console.log('\n!! THERE IS NO CHROMIUM: the tests of the page in a browser are SKIPPED.');
  console.log('!! Install one (apt-get install chromium), or name one with HOLDFAST_CHROMIUM=/path/to/it.\n');
}
