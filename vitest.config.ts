import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const dist = (path: string) => fileURLToPath(new URL(`./dist/${path}`, import.meta.url));

// What is fetched first, or takes its time: `npm run test:real`.
const REAL = 'test/real/**/*.test.ts';

export default defineConfig(({ mode }) => ({
  resolve: {
    // Engine tests run what is shipped: threads and child processes need built files.
    alias: [
      { find: /^holdfast\/testing$/, replacement: dist('testing/index.js') },
      { find: /^holdfast\/host$/, replacement: dist('host/index.js') },
      { find: /^holdfast\/stream$/, replacement: dist('dialects/stream/index.js') },
      { find: /^holdfast$/, replacement: dist('index.js') },
    ],
  },
  test: {
    ...(mode === 'real' ? { include: [REAL] } : { include: ['test/**/*.test.ts'], exclude: [REAL] }),
    setupFiles: ['test/setup.ts'],
    // Every file gets a process of its own, so that what it leaves behind can be told from what others do.
    pool: 'forks',
    // More than there are cores: most of the long tests wait for programs to be killed, come back or give up.
    maxWorkers: 4,
    // Long enough for a machine that is busy with something else: waiters have limits of their own.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    server: { deps: { external: [/\/dist\//] } },
  },
}));
