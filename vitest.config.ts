import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { listPureTests } from './scripts/gate/pure-tests.mjs';
import { listSharedTests } from './scripts/gate/shared-tests.mjs';

const dist = (path: string) => fileURLToPath(new URL(`./dist/${path}`, import.meta.url));
const src = fileURLToPath(new URL('./src/', import.meta.url));

// What is fetched first, or takes its time: `npm run test:real`.
const REAL = 'test/real/**/*.test.ts';

// Campaigns of minutes.
const LONG = ['chaos', 'chaos-shrink', 'closure', 'gateway-kills', 'soak-drift'].map(
  (name) => `test/real/campaigns/${name}.test.ts`,
);

// Three machines in one, each of which must be served in time: nothing else runs beside them.
const TIMED = 'test/real/hosts/**/*.test.ts';

// Puts something in the place of the SQLite driver, before anybody has loaded it; or counts the timers of a whole process.
const FIRST_IN_ITS_PROCESS = [
  ...['test/bad-input/stores/full-disk.test.ts', 'test/server/held/refused-holds.test.ts'],
  'test/engine/workers/idle-cost.test.ts',
];

// Puts something in the place of a file of the source, or needs code that lies beside no build.
const FROM_SOURCE = ['host/keeper/sharing', 'store/postgres/two-builds'].map((name) =>
  fileURLToPath(new URL(`./test/${name}.test.ts`, import.meta.url)),
);

/**
 * What tests import from `src/` they get as it was compiled from it: loaded by Node itself, and once, where the package that other
 * tests import by its name has the same files.
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

// Ten seconds and more each: begun last they would be waited for alone. `.cache/test-times.txt` tells who belongs here.
// Those of `crash/` run several programs at once each, so they stand apart from each other.
const LONGEST = toPaths(`
  crash/matrix bundles/bundle cli/calls/call sandbox/page security/host/project-files e2e/identity host/resume campaign/chaos/chaos
  crash/detached gateway/upstreams/plain-upstream cli/gateway host/keeper/kills frameworks/examples crash/ledger pins/scripts
  security/secrets/secret-answers engine/recovery/crashes store/history crash/prompts gateway/bad-input apps/monitor/server
  campaign/soak/foreign host/dialects security/codex/codex-state apps/codex/runs spec/result-modes-transport gateway/cells
  engine/attempts/isolate security/http/http-doors cli/init engine/workers/detached security/host/host-http-answers
`);

// Longer still, and mostly they wait: for a lease to run out, a peer to give up, a person. All of them at once would leave the
// processor idle, so they are begun one by one among the others.
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

// `npm run check`: from source, in threads that keep what they have loaded.
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
    // Engine tests run what is shipped: threads and child processes need built files.
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
            // They make the machine busy on purpose, so nothing else runs beside them.
            { extends: true, mode, test: { name: 'long', include: LONG, maxWorkers: 2, sequence: { groupOrder: 1 } } },
            {
              extends: true,
              mode,
              test: { name: 'timed', include: [TIMED], maxWorkers: 1, sequence: { groupOrder: 2 } },
            },
          ]
        : [
            // One after the other in a few processes: loading everything anew for each file costs a fifth of the whole.
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
      // The real tests run on the package as it is shipped, and on the disk.
      ...(mode === 'real' ? [] : ['test/temporary-files.ts', 'test/bundled-programs.ts']),
      ...['test/spare-certificates.ts', 'test/postgres-cluster.ts'],
    ],
    // Files that run at the same time have processes of their own, so that what each leaves behind can be told apart.
    pool: 'forks',
    // More than there are cores: most of the long tests wait for programs to be killed, come back or give up.
    maxWorkers: mode === 'real' ? 4 : 7,
    // Long enough for a machine that is busy with something else: waiters have limits of their own.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    server: { deps: { external: [/\/dist\//] } },
  },
}));

export default defineConfig((env) => (env.mode === 'pure' ? pure : all(env)));
