import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const dist = (path: string) => fileURLToPath(new URL(`./dist/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // Engine tests run what is shipped: threads and child processes need built files.
    alias: [
      { find: /^holdfast\/testing$/, replacement: dist('testing/index.js') },
      { find: /^holdfast$/, replacement: dist('index.js') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    server: { deps: { external: [/\/dist\//] } },
  },
});
