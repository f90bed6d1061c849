import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { listPureTests } from './scripts/gate/pure-tests.mjs';
import { listSharedTests } from './scripts/gate/shared-tests.mjs';

const dist = (path: string) => fileURLToPath(new URL(`./dist/${path}`, import.meta.url));
const src = fileURLToPath(new URL('./src/', import.meta.url));

// Tests that need fetched programs or take long: `npm run test:real`.
const REAL = 'test/real/**/*.test.ts';

// Campaigns that take minutes.
const LONG = ['chaos', 'chaos-shrink', 'closure', 'gateway-kills', 'soak-drift'].map(
  (name) => `test/real/campaigns/${name}.test.ts`,
);

// Simulate three machines on this one, each of which must respond in time: nothing else runs in parallel.
const TIMED = 'test/real/hosts/**/*.test.ts';

// Replaces the SQLite driver before anything has loaded it, or counts the timers of a whole process.
const FIRST_IN_ITS_PROCESS = [
  ...['test/bad-input/stores/full-disk.test.ts', 'test/server/held/refused-holds.test.ts'],
  'test/engine/workers/idle-cost.test.ts',
];

// Mocks a source file, or needs code that has no build beside it.
const FROM_SOURCE = ['host/keeper/sharing', 'store/postgres/two-builds'].map((name) =>
  fileURLToPath(new URL(`./test/${name}.test.ts`, import.meta.url)),
);

/**
 * Resolves imports of `src/` in tests to the compiled files: Node itself loads these, and only once, because the package that
 * other tests import by name has the same files.
 */
const asCompiled: Plugin = {
  name: 'as-compiled',
  enforce: 'pre',
  resolveId(name, importer = '') {
    if (!/^\.{1,2}\/.*\.ts$/.test(name) || importer.startsWith(src) || FROM_SOURCE.includes(importer)) return null;
    const path = join(dirname(importer), name);
    if (!path.startsWith(src)) return null;
    return { id: dist(path.slice(src.length).replace(/\.ts$/, '.js')), external: true };
  },
};

// Ten seconds and more each: started last, the run would wait for them alone. `.cache/test-times.txt` shows which files
// belong here. Those of `crash/` each run several programs at once, so they are not listed next to each other.
const LONGEST = toPaths(`
  crash/matrix bundles/bundle cli/calls/call sandbox/page security/host/project-files e2e/identity host/resume campaign/chaos/chaos
  crash/detached gateway/upstreams/plain-upstream cli/gateway host/keeper/kills frameworks/examples crash/ledger pins/scripts
  security/secrets/secret-answers engine/recovery/crashes store/history crash/prompts gateway/bad-input apps/monitor/server
  campaign/soak/foreign host/dialects security/codex/codex-state apps/codex/runs spec/result-modes-transport gateway/cells
  engine/attempts/isolate security/http/http-doors cli/init engine/workers/detached security/host/host-http-answers
`);

// These take even longer and mostly wait: for a lease to expire, a peer to time out, a person. All of them at once would
// leave the processor idle, so they are started one by one among the others.
const WAITING = toPaths(`
  docs/readme gateway/cancel engine/recovery/stopped host/servers/end-server host/servers/left-children e2e/outlives host/ui-prompts
  engine/attempts/blocking docs/chatos-runtime host/servers/failing-store server/streams/stream-cuts engine/heartbeat/slow-heart
  spec/result-modes dashboard/dashboard
`);
const OTHERS_BETWEEN = 3;

function toPaths(names: string): readonly string[] {
  const toPath = (name: string) => fileURLToPath(new URL(`./test/${name}.test.ts`, import.meta.url));
  return names.trim().split(/\s+/).map(toPath);
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const pick = (paths: readonly string[]) =>
      paths.flatMap((path) => sorted.filter(({ moduleId }) => moduleId === path));
    const [waiting, longest] = [pick(WAITING), pick(LONGEST)];
    const order = [...longest, ...sorted.filter((file) => !longest.includes(file) && !waiting.includes(file))];
    for (const [at, file] of waiting.entries()) order.splice(at * (OTHERS_BETWEEN + 1), 0, file);
    return order;
  }
}

// `npm run check`: from source, in threads that keep loaded modules.
const pure = defineConfig({
  test: {
    name: 'pure',
    include: listPureTests(),
    setupFiles: ['test/pure-setup.ts'],
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
    testTimeout: 60_000,
  },
});

const all = defineConfig(({ mode }) => ({
  plugins: [asCompiled],
  resolve: {
    // Engine tests run the shipped code: threads and child processes need built files.
    alias: [
      { find: /^holdfast\/testing$/, replacement: dist('testing/index.js') },
      { find: /^holdfast\/dashboard$/, replacement: dist('dashboard/index.js') },
      { find: /^holdfast\/dialects$/, replacement: dist('dialects/index.js') },
      { find: /^holdfast\/gateway$/, replacement: dist('gateway/index.js') },
      { find: /^holdfast\/host$/, replacement: dist('host/index.js') },
      { find: /^holdfast\/postgres$/, replacement: dist('store/postgres/index.js') },
      { find: /^holdfast\/store$/, replacement: dist('store/index.js') },
      { find: /^holdfast\/stream$/, replacement: dist('dialects/stream/index.js') },
      { find: /^holdfast$/, replacement: dist('index.js') },
    ],
  },
  test: {
    projects:
      mode === 'real'
        ? [
            {
              extends: true,
              mode,
              test: {
                name: 'real',
                include: [REAL, ...listSharedTests()],
                exclude: [...LONG, TIMED],
                env: { HOLDFAST_TEST_WHOLE: '1' },
              },
            },
            // These load the machine on purpose, so nothing else runs in parallel.
            { extends: true, mode, test: { name: 'long', include: LONG, maxWorkers: 2, sequence: { groupOrder: 1 } } },
            {
              extends: true,
              mode,
              test: { name: 'timed', include: [TIMED], maxWorkers: 1, sequence: { groupOrder: 2 } },
            },
          ]
        : [
            // Files share a few processes, one file after the other: reloading every module for each file takes a fifth of
            // the whole run.
            {
              extends: true,
              test: {
                name: 'all',
                include: ['test/**/*.test.ts'],
                exclude: [REAL, ...FIRST_IN_ITS_PROCESS],
                isolate: false,
              },
            },
            { extends: true, test: { name: 'alone', include: FIRST_IN_ITS_PROCESS } },
          ],
    setupFiles: ['test/setup.ts'],
    sequence: { sequencer: LongestFirst },
    globalSetup: [
      // The real tests run on the package as shipped, and on the disk.
      ...(mode === 'real' ? [] : ['test/temporary-files.ts', 'test/bundled-programs.ts']),
      ...['test/spare-certificates.ts', 'test/postgres-cluster.ts'],
    ],
    // Files that run in parallel have separate processes, so that what each leaves behind can be attributed to it.
    pool: 'forks',
    // More than there are cores: most of the long tests wait for programs to be killed, restart or time out.
    maxWorkers: mode === 'real' ? 4 : 7,
    // Long enough even on a busy machine: helpers that wait have their own, shorter limits.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    server: { deps: { external: [/\/dist\//] } },
  },
}));

export default defineConfig((env) => (env.mode === 'pure' ? pure : all(env)));
