// @ts-check
import { copyFile } from 'node:fs/promises';
import { inRoot } from './root.mjs';

/** Builds the page of the dashboard into `dist/web`. Reads nothing from outside. */
export async function buildWeb() {
  const { build } = await import('vite');
  const outDir = inRoot('dist', 'web');
  const { NODE_ENV: before } = process.env;
  await build({
    root: inRoot('web'),
    configFile: false,
    // Relative, so that the page can lie under any path.
    base: './',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: { outDir, emptyOutDir: true, target: 'es2022', modulePreload: { polyfill: false } },
  });
  // The bundler says that this is production, and npm would leave out what tests need.
  if (before === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = before;
  // The page holds the code of one package.
  await copyFile(inRoot('node_modules', 'preact', 'LICENSE'), inRoot('dist', 'web', 'preact-license.txt'));
}
