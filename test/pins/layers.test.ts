import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { findLayerViolation, listForbiddenHostImports, listLayerViolations } from '../../scripts/gate/layers.mjs';
import { runCommand } from './run-command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const forbidden: readonly [from: string, specifier: string][] = [
  ['errors.ts', './task/record.ts'],
  ['clock.ts', './engine/workers/slots.ts'],
  ['crash-point.ts', './store/contract.ts'],
  ['index.ts', './cli/main.ts'],
  ['index.ts', './testing/index.ts'],
  ['index.ts', './sqlite/open.ts'],
  ['task/planted.ts', '../clock.ts'],
  ['task/planted.ts', '../store/contract.ts'],
  ['task/planted.ts', '../sqlite/open.ts'],
  ['task/planted.ts', '../engine/access.ts'],
  ['task/planted.ts', './../engine/access.ts'],
  ['task/planted.ts', 'node:fs'],
  ['task/planted.ts', 'zod'],
  ['sqlite/planted.ts', '../task/json.ts'],
  ['sqlite/planted.ts', '../store/contract.ts'],
  ['sqlite/planted.ts', '../process/process-ref.ts'],
  ['codec/planted.ts', '../task/json.ts'],
  ['codec/planted.ts', '../sqlite/open.ts'],
  ['codec/planted.ts', '../store/contract.ts'],
  ['process/planted.ts', '../store/contract.ts'],
  ['process/planted.ts', '../sqlite/open.ts'],
  ['process/planted.ts', '../engine/access.ts'],
  ['store/planted.ts', '../engine/access.ts'],
  ['store/planted.ts', '../process/process-ref.ts'],
  ['store/planted.ts', '../index.ts'],
  ['store/planted.ts', 'node:sqlite'],
  ['store/planted.ts', '@photostructure/sqlite'],
  ['store/contracts/planted.ts', '../decide.ts'],
  ['store/contracts/planted.ts', '../sqlite/sqlite-store.ts'],
  ['store/sqlite/planted.ts', '../memory/memory-store.ts'],
  ['store/sqlite/tasks/planted.ts', '../../memory/memory-store.ts'],
  ['store/sqlite/planted.ts', '../../engine/access.ts'],
  ['store/sqlite/planted.ts', '../../cli/main.ts'],
  ['engine/planted.ts', '../sqlite/open.ts'],
  ['engine/planted.ts', '../cli/main.ts'],
  ['engine/planted.ts', '../testing/until.ts'],
  ['engine/planted.ts', '../index.ts'],
  ['engine/part/planted.ts', '../../sqlite/open.ts'],
  ['engine/part/planted.ts', '../../testing/until.ts'],
  ['dialects/planted.ts', '../server/server.ts'],
  ['dialects/planted.ts', './../host/host.ts'],
  ['dialects/job/planted.ts', '../stream/wire.ts'],
  ['dialects/job/planted.ts', '../table.ts'],
  ['dialects/job/planted.ts', '../options.ts'],
  ['dialects/shared/planted.ts', '../job/wire.ts'],
  ['dialects/shared/planted.ts', '../table.ts'],
  ['dialects/shared/questions/planted.ts', '../../tasks-2025/wire.ts'],
  ['dialects/server-port.ts', './job/wire.ts'],
  ['dialects/job/planted.ts', '../../server/server.ts'],
  ['dialects/job/planted.ts', '../../store/contract.ts'],
  ['dialects/job/planted.ts', '@modelcontextprotocol/server'],
  ['server/planted.ts', '../host/host.ts'],
  ['server/planted.ts', '../store/contract.ts'],
  ['server/planted.ts', '../dialects/job/host.ts'],
  ['server/planted.ts', '../dialects/job/wire.ts'],
  ['server/planted.ts', '../dialects/job/server-half.ts'],
  ['server/calls/planted.ts', '../../dialects/inline/held-call.ts'],
  ['server/sdk/planted.ts', '../../dialects/tasks-2025/server.ts'],
  ['server/planted.ts', '../dialects/job/host-half.ts'],
  ['server/planted.ts', '@modelcontextprotocol/client'],
  ['dialects/job/host-half.ts', '../../engine/access.ts'],
  ['dialects/job/host-half.ts', '../../store/contract.ts'],
  ['dialects/job/host-half.ts', './follower.ts'],
  ['dialects/job/host-half.ts', '@modelcontextprotocol/client'],
  ['dialects/job/host-half.ts', './server-half.ts'],
  ['dialects/job/host-half.ts', '../stream/host-half.ts'],
  ['dialects/job/host-half.ts', '../tasks-2026/extension.ts'],
  ['dialects/job/host-half.ts', '../table.ts'],
  ['dialects/job/host-follow.ts', '../../engine/access.ts'],
  ['dialects/shared/planted.ts', '../job/wire.ts'],
  ['dialects/shared/planted.ts', '../table.ts'],
  ['dialects/shared/planted.ts', '../../host/host.ts'],
  ['host/index.ts', '../dialects/ui-prompts/plugin-spec.ts'],
  ['host/planted.ts', '../dialects/stream/expect-stream.ts'],
  ['host/calls/planted.ts', '../../dialects/job/host-half.ts'],
  ['host/calls/planted.ts', '../../dialects/ui-prompts/host-prepare.ts'],
  ['host/calls/planted.ts', '../host.ts'],
  ['host/servers/planted.ts', '../../dialects/tasks-2026/extension.ts'],
  ['host/servers/planted.ts', '../calls/call.ts'],
  ['host/transports/planted.ts', '../calls/call.ts'],
  ['host/transports/planted.ts', '../servers/server-connection.ts'],
  ['host/transports/planted.ts', '../ledger/contract.ts'],
  ['host/ledger/planted.ts', '../servers/server-connection.ts'],
  ['host/planted.ts', '../engine/access.ts'],
  ['host/planted.ts', '../store/contract.ts'],
  ['host/planted.ts', '../sqlite/open.ts'],
  ['host/planted.ts', '../server/server.ts'],
  ['host/planted.ts', '../dialects/tasks-2026/server.ts'],
  ['host/planted.ts', '@modelcontextprotocol/server'],
  ['host/ledger/planted.ts', '../../dialects/job/host-half.ts'],
  ['host/ledger/planted.ts', '../host.ts'],
  ['testing/planted.ts', '../cli/main.ts'],
  ['testing/planted.ts', 'vitest'],
  ['testing/contract/planted.ts', '../../cli/main.ts'],
  ['cli/planted.ts', '../sqlite/open.ts'],
  ['cli/planted.ts', '../process/process-ref.ts'],
  ['cli/planted.ts', '../testing/until.ts'],
  ['cli/commands/planted.ts', '../../sqlite/open.ts'],
  ['cli/commands/planted.ts', '../../crash-point.ts'],
  ['cli/commands/planted.ts', '../../dialects/job/host-half.ts'],
  ['campaign/soak/planted.ts', '../../server/server.ts'],
  ['campaign/soak/planted.ts', '../../engine/access.ts'],
  ['campaign/soak/planted.ts', '../../host/host.ts'],
  ['campaign/soak/planted.ts', '../chaos/plan.ts'],
  ['campaign/soak/planted.ts', '@modelcontextprotocol/client'],
  ['campaign/chaos/planted.ts', '../soak/run-soak.ts'],
  ['campaign/chaos/planted.ts', '../../index.ts'],
  ['campaign/chaos/planted.ts', '../../sqlite/open.ts'],
  ['apps/chaos/planted.ts', '../../campaign/chaos/judge.ts'],
  ['apps/chaos/planted.ts', '../../campaign/chaos/fault.ts'],
  ['campaign/chaos/planted.ts', '../../apps/chaos/workload.ts'],
  ['app-kit/planted.ts', '../engine/task-client.ts'],
  ['app-kit/planted.ts', '../store/contract.ts'],
  ['apps/chaos/planted.ts', '../../store/contract.ts'],
  ['apps/demo/planted.ts', '../../server/server.ts'],
  ['apps/demo/planted.ts', '../../engine/access.ts'],
  ['apps/demo/planted.ts', '../../cli/main.ts'],
  ['apps/demo/planted.ts', '../../sqlite/open.ts'],
  ['apps/monitor/planted.ts', '../../store/contract.ts'],
  ['apps/monitor/planted.ts', '../../cli/main.ts'],
  ['apps/monitor/planted.ts', 'node:sqlite'],
  ['apps/codex/planted.ts', '../../server/server.ts'],
  ['apps/codex/planted.ts', '../../store/contract.ts'],
  ['apps/codex/planted.ts', '../../sqlite/open.ts'],
  ...['codex', 'monitor', 'demo', 'chaos'].flatMap((app) =>
    [
      ...['errors.ts', 'limits.ts', 'stderr.ts', 'process/file-lock.ts', 'sqlite/open.ts', 'text/cut-text.ts'],
      ...['dialects/stream/format-event.ts', 'app-kit/sqlite-file.ts', 'host/host.ts'],
    ].map((file): [string, string] => [`apps/${app}/planted.ts`, `../../${file}`]),
  ),
];

const expected: readonly [from: string, specifier: string][] = [
  ['task/planted.ts', '../errors.ts'],
  ['task/planted.ts', './status.ts'],
  ['sqlite/planted.ts', '../crash-point.ts'],
  ['process/planted.ts', 'node:fs/promises'],
  ['codec/planted.ts', 'node:crypto'],
  ['store/planted.ts', '../codec/codec.ts'],
  ['store/sqlite/planted.ts', '../codec/parts.ts'],
  ['engine/planted.ts', '../codec/codec.ts'],
  ['host/ledger/planted.ts', '../../codec/codec.ts'],
  ['store/planted.ts', '../task/record.ts'],
  ['store/sqlite/planted.ts', '../contract.ts'],
  ['store/sqlite/workers/planted.ts', '../../contracts/worker-contract.ts'],
  ['store/sqlite/planted.ts', '../../sqlite/open.ts'],
  ['engine/planted.ts', '../store/contract.ts'],
  ['engine/planted.ts', '../process/process-ref.ts'],
  ['engine/part/planted.ts', '../access.ts'],
  ['dialects/planted.ts', '../engine/access.ts'],
  ['dialects/job/planted.ts', '../../engine/access.ts'],
  ['dialects/job/planted.ts', '../shared/outcomes/wire-outcome.ts'],
  ['dialects/job/planted.ts', '../server-port.ts'],
  ['dialects/shared/planted.ts', '../server-port.ts'],
  ['dialects/table.ts', './job/server-half.ts'],
  ['dialects/options.ts', './stream/stream-option.ts'],
  ['server/planted.ts', '../dialects/table.ts'],
  ['server/calls/planted.ts', '../../dialects/server-dialect.ts'],
  ['server/stdio/planted.ts', '../../dialects/shared/bytes/line-reader.ts'],
  ['server/planted.ts', '@modelcontextprotocol/server'],
  ['dialects/job/host-half.ts', './wire.ts'],
  ['dialects/job/host-half.ts', '../host-port.ts'],
  ['dialects/job/host-half.ts', '../shared/holdfast-server.ts'],
  ['dialects/table.ts', './job/host-half.ts'],
  ['host/planted.ts', '../dialects/table.ts'],
  ['host/planted.ts', '../dialects/shared/poll-backoff.ts'],
  ['host/calls/planted.ts', '../servers/reachability.ts'],
  ['host/servers/planted.ts', '../transports/open-transport.ts'],
  ['host/transports/planted.ts', '@modelcontextprotocol/client/stdio'],
  ['host/ledger/planted.ts', '../../sqlite/open.ts'],
  ['testing/planted.ts', '../engine/access.ts'],
  ['testing/contract/planted.ts', '../fake-clock.ts'],
  ['testing/contract/planted.ts', '../../store/contract.ts'],
  ['cli/planted.ts', '../engine/access.ts'],
  ['cli/commands/planted.ts', '../options.ts'],
  ['cli/commands/planted.ts', '../../dialects/ui-prompts/explain.ts'],
  ['cli/commands/planted.ts', '../../store/contract.ts'],
  ['index.ts', './engine/task-client.ts'],
  ['index.ts', './server/server.ts'],
  ['cli/commands/planted.ts', '../../apps/demo/demo-server.ts'],
  ['apps/demo/planted.ts', '../../index.ts'],
  ['campaign/chaos/planted.ts', '../../apps/chaos/journal.ts'],
  ['campaign/chaos/planted.ts', '../../sqlite/driver.ts'],
  ['campaign/chaos/planted.ts', '../report/markdown.ts'],
  ['apps/demo/planted.ts', './prompts.ts'],
  ['apps/monitor/planted.ts', '../../app-kit/index.ts'],
  ['apps/codex/planted.ts', '../../host/index.ts'],
  ['apps/codex/planted.ts', '../../dialects/stream/index.ts'],
  ['apps/codex/planted.ts', '../../dialects/ui-prompts/index.ts'],
  ['app-kit/planted.ts', '../sqlite/open.ts'],
];

describe('the layers', () => {
  it('[PKG-11] [ROOMS-106] are kept by every file', () => {
    expect(listLayerViolations()).toEqual([]);
  });

  it('[ROOMS-120] a host knows no dialect by name, and loads neither engine nor server half by any way', () => {
    const dialects = ['ui-prompts', 'stream', 'job', 'tasks-2025', 'tasks-2026', 'inline'];
    for (const room of ['', 'calls/', 'servers/', 'transports/', 'ledger/']) {
      const up = room === '' ? '../' : '../../';
      for (const dialect of dialects) {
        const why = findLayerViolation(`host/${room}planted.ts`, `${up}dialects/${dialect}/host-half.ts`);
        expect(why, `${room} ${dialect}`).toEqual(expect.any(String));
      }
    }
    expect(listForbiddenHostImports()).toEqual([]);
  });

  it.each(forbidden)('[PKG-11] [ROOMS-106] [ROOMS-179] %s may not import %s', (from, specifier) => {
    expect(findLayerViolation(from, specifier)).toEqual(expect.any(String));
  });

  it.each(expected)('%s may import %s', (from, specifier) => {
    expect(findLayerViolation(from, specifier)).toBeUndefined();
  });

  it('[PKG-11] examples import the package by its name', async () => {
    const planted = ['../../src/errors.ts', '../../dist/index.js', 'holdfast', './other.js'];
    const text = planted.map((specifier) => `import '${specifier}';\n`).join('');
    const found = await lint({ 'examples/story/planted.js': text }, 'style/noRestrictedImports');
    expect(found.map(({ line }) => line)).toEqual([1, 2]);
  });

  it('[PKG-11] refuse an import cycle', async () => {
    const found = await lint(
      {
        'src/task/one.ts': "import { two } from './two.ts';\nexport const one = () => two;\n",
        'src/task/two.ts': "import { one } from './one.ts';\nexport const two = () => one;\n",
      },
      'suspicious/noImportCycles',
    );
    expect(found.map(({ file }) => file).sort()).toEqual(['src/task/one.ts', 'src/task/two.ts']);
  });

  it('refuse a file of more than 400 lines of code', async () => {
    const lines = (count: number) => 'void 0;\n'.repeat(count);
    const found = await lint(
      { 'src/long.ts': lines(401), 'src/short.ts': lines(399) },
      'style/noExcessiveLinesPerFile',
    );
    expect(found.map(({ file }) => file)).toEqual(['src/long.ts']);
  });
});

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** Runs one rule of the project's own configuration over planted files. */
async function lint(files: Readonly<Record<string, string>>, rule: string) {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-layers-'));
  folders.push(folder);
  await copyFile(join(root, 'biome.json'), join(folder, 'biome.json'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const output = await runBiome(folder, [`--only=${rule}`]);
  return [...output.matchAll(/^::error title=lint\/([^,]+),file=([^,]+),line=(\d+)/gm)]
    .filter(([, title]) => title === rule)
    .map(([, , file = '', line]) => ({ file: relative(folder, file), line: Number(line) }));
}

async function runBiome(folder: string, args: readonly string[]): Promise<string> {
  const biome = join(root, 'node_modules', '.bin', 'biome');
  const flags = ['--vcs-enabled=false', '--max-diagnostics=none', '--reporter=github'];
  const { code, output } = await runCommand([biome, 'lint', ...flags, ...args], { cwd: folder });
  // Exit code 1 says that something was found; without a finding it says that nothing ran.
  if (code !== 0 && !output.includes('::error')) throw new Error(`biome failed: ${output}`);
  return output;
}
