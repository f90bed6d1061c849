// @ts-check
/** Takes the screenshots in docs/images of every screen, light and dark, in English and Chinese: `npm run screenshots`. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { build } from './build.mjs';
import { inRoot } from './root.mjs';
import { openPage } from './screenshots/open-page.mjs';
import { playScene } from './screenshots/scene.mjs';

const LANGUAGES = /** @type {const} */ (['en', 'zh']);
const THEMES = /** @type {const} */ (['light', 'dark']);
const images = inRoot('docs', 'images');

if ((await build()) !== 0) process.exit(1);
const scene = await playScene();
const page = await openPage();
try {
  await mkdir(images, { recursive: true });
  for (const old of await readdir(images)) if (old.startsWith('sandbox-')) await rm(`${images}/${old}`);
  await page.enter(scene.url);
  let bytes = 0;
  for (const [name, route] of Object.entries(scene.screens)) {
    for (const language of LANGUAGES) {
      for (const theme of THEMES) {
        const picture = await page.take(route, { language, theme });
        bytes += picture.length;
        await writeFile(`${images}/sandbox-${name}-${language}-${theme}.webp`, picture);
      }
    }
  }
  console.log(`${bytes} bytes`);
} finally {
  await page.close();
  await scene.close();
}
