// @ts-check
import { inRoot } from './root.mjs';

/** Builds the page of the dashboard into `dist/web`. Reads nothing from outside. */
export async function buildWeb() {
  const { build } = await import('vite');
  await build({
    root: inRoot('web'),
    configFile: false,
    // Relative, so that the page can lie under any path.
    base: './',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: { outDir: inRoot('dist', 'web'), emptyOutDir: true, target: 'es2022', modulePreload: { polyfill: false } },
  });
}
