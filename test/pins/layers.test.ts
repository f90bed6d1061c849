import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const forbidden: readonly [from: string, specifier: string][] = [
  ['src/errors.ts', './task/record.ts'],
  ['src/clock.ts', './engine/slots.ts'],
  ['src/crash-point.ts', './store/contract.ts'],
  ['src/index.ts', './cli/main.ts'],
  ['src/index.ts', './testing/index.ts'],
  ['src/index.ts', './sqlite/open.ts'],
  ['src/task/planted.ts', '../clock.ts'],
  ['src/task/planted.ts', '../store/contract.ts'],
  ['src/task/planted.ts', '../sqlite/open.ts'],
  ['src/task/planted.ts', '../engine/access.ts'],
  ['src/task/planted.ts', './../engine/access.ts'],
  ['src/task/planted.ts', 'node:fs'],
  ['src/task/planted.ts', 'zod'],
  ['src/sqlite/planted.ts', '../task/json.ts'],
  ['src/sqlite/planted.ts', '../store/contract.ts'],
  ['src/sqlite/planted.ts', '../process/process-ref.ts'],
  ['src/codec/planted.ts', '../task/json.ts'],
  ['src/codec/planted.ts', '../sqlite/open.ts'],
  ['src/codec/planted.ts', '../store/contract.ts'],
  ['src/process/planted.ts', '../store/contract.ts'],
  ['src/process/planted.ts', '../sqlite/open.ts'],
  ['src/process/planted.ts', '../engine/access.ts'],
  ['src/store/planted.ts', '../engine/access.ts'],
  ['src/store/planted.ts', '../process/process-ref.ts'],
  ['src/store/planted.ts', '../index.ts'],
  ['src/store/planted.ts', 'node:sqlite'],
  ['src/store/planted.ts', '@photostructure/sqlite'],
  ['src/store/sqlite/planted.ts', '../memory/memory-store.ts'],
  ['src/store/sqlite/planted.ts', '../../engine/access.ts'],
  ['src/store/sqlite/planted.ts', '../../cli/main.ts'],
  ['src/engine/planted.ts', '../sqlite/open.ts'],
  ['src/engine/planted.ts', '../cli/main.ts'],
  ['src/engine/planted.ts', '../testing/until.ts'],
  ['src/engine/planted.ts', '../index.ts'],
  ['src/engine/part/planted.ts', '../../sqlite/open.ts'],
  ['src/engine/part/planted.ts', '../../testing/until.ts'],
  ['src/dialects/planted.ts', '../server/server.ts'],
  ['src/dialects/planted.ts', './../host/host.ts'],
  ['src/dialects/job/planted.ts', '../stream/wire.ts'],
  ['src/dialects/job/planted.ts', '../../server/server.ts'],
  ['src/dialects/job/planted.ts', '../../store/contract.ts'],
  ['src/dialects/job/planted.ts', '@modelcontextprotocol/server'],
  ['src/server/planted.ts', '../host/host.ts'],
  ['src/server/planted.ts', '../store/contract.ts'],
  ['src/server/planted.ts', '../dialects/job/host.ts'],
  ['src/server/planted.ts', '@modelcontextprotocol/client'],
  ['src/dialects/job/host.ts', '../../engine/access.ts'],
  ['src/dialects/job/host.ts', '../../store/contract.ts'],
  ['src/dialects/job/host.ts', './follower.ts'],
  ['src/dialects/job/host.ts', '@modelcontextprotocol/client'],
  ['src/host/planted.ts', '../engine/access.ts'],
  ['src/host/planted.ts', '../store/contract.ts'],
  ['src/host/planted.ts', '../server/server.ts'],
  ['src/host/planted.ts', '../dialects/tasks-2026/server.ts'],
  ['src/host/planted.ts', '@modelcontextprotocol/server'],
  ['src/host/ledger/planted.ts', '../../dialects/job/host.ts'],
  ['src/host/ledger/planted.ts', '../host.ts'],
  ['src/testing/planted.ts', '../cli/main.ts'],
  ['src/testing/planted.ts', 'vitest'],
  ['src/testing/contract/planted.ts', '../../cli/main.ts'],
  ['src/cli/planted.ts', '../sqlite/open.ts'],
  ['src/cli/planted.ts', '../process/process-ref.ts'],
  ['src/cli/planted.ts', '../testing/until.ts'],
  ['src/cli/commands/planted.ts', '../../sqlite/open.ts'],
  ['src/cli/commands/planted.ts', '../../crash-point.ts'],
  ['src/cli/commands/planted.ts', '../../dialects/job/host.ts'],
  ['src/campaign/soak/planted.ts', '../../server/server.ts'],
  ['src/campaign/soak/planted.ts', '../../engine/access.ts'],
  ['src/campaign/soak/planted.ts', '../../host/host.ts'],
  ['src/campaign/soak/planted.ts', '../chaos/plan.ts'],
  ['src/campaign/soak/planted.ts', '@modelcontextprotocol/client'],
  ['src/campaign/chaos/planted.ts', '../soak/run-soak.ts'],
  ['src/campaign/chaos/planted.ts', '../../index.ts'],
  ['src/campaign/chaos/planted.ts', '../../sqlite/open.ts'],
  ['src/apps/chaos/planted.ts', '../../campaign/chaos/judge.ts'],
  ['src/apps/chaos/planted.ts', '../../store/contract.ts'],
  ['src/apps/demo/planted.ts', '../../server/server.ts'],
  ['src/apps/demo/planted.ts', '../../engine/access.ts'],
  ['src/apps/demo/planted.ts', '../../cli/main.ts'],
  ['src/apps/demo/planted.ts', '../../sqlite/open.ts'],
  ['src/apps/monitor/planted.ts', '../../store/contract.ts'],
  ['src/apps/monitor/planted.ts', '../../cli/main.ts'],
  ['src/apps/monitor/planted.ts', 'node:sqlite'],
  ['src/apps/codex/planted.ts', '../../server/server.ts'],
  ['src/apps/codex/planted.ts', '../../store/contract.ts'],
  ['src/apps/codex/planted.ts', '../../sqlite/open.ts'],
  ['examples/story/planted.js', '../../src/errors.ts'],
  ['examples/story/planted.js', '../../dist/index.js'],
];

const legal: readonly [from: string, specifier: string][] = [
  ['src/task/planted.ts', '../errors.ts'],
  ['src/task/planted.ts', './status.ts'],
  ['src/sqlite/planted.ts', '../crash-point.ts'],
  ['src/process/planted.ts', 'node:fs/promises'],
  ['src/codec/planted.ts', 'node:crypto'],
  ['src/store/planted.ts', '../codec/codec.ts'],
  ['src/store/sqlite/planted.ts', '../codec/parts.ts'],
  ['src/engine/planted.ts', '../codec/codec.ts'],
  ['src/host/ledger/planted.ts', '../../codec/codec.ts'],
  ['src/store/planted.ts', '../task/record.ts'],
  ['src/store/sqlite/planted.ts', '../contract.ts'],
  ['src/store/sqlite/planted.ts', '../../sqlite/open.ts'],
  ['src/engine/planted.ts', '../store/contract.ts'],
  ['src/engine/planted.ts', '../process/process-ref.ts'],
  ['src/engine/part/planted.ts', '../access.ts'],
  ['src/dialects/planted.ts', '../engine/access.ts'],
  ['src/dialects/job/planted.ts', '../../engine/access.ts'],
  ['src/dialects/job/planted.ts', '../ending.ts'],
  ['src/server/planted.ts', '../dialects/job/wire.ts'],
  ['src/server/planted.ts', '@modelcontextprotocol/server'],
  ['src/dialects/job/host.ts', './wire.ts'],
  ['src/dialects/job/host.ts', '../host-port.ts'],
  ['src/host/planted.ts', '../dialects/job/host.ts'],
  ['src/host/planted.ts', '../sqlite/open.ts'],
  ['src/host/planted.ts', '@modelcontextprotocol/client/stdio'],
  ['src/host/ledger/planted.ts', '../../sqlite/open.ts'],
  ['src/testing/planted.ts', '../engine/access.ts'],
  ['src/testing/contract/planted.ts', '../fake-clock.ts'],
  ['src/testing/contract/planted.ts', '../../store/contract.ts'],
  ['src/cli/planted.ts', '../engine/access.ts'],
  ['src/cli/commands/planted.ts', '../options.ts'],
  ['src/cli/commands/planted.ts', '../../dialects/ui-prompts/explain.ts'],
  ['src/cli/commands/planted.ts', '../../store/contract.ts'],
  ['src/index.ts', './engine/access.ts'],
  ['src/index.ts', './server/server.ts'],
  ['src/cli/commands/planted.ts', '../../apps/demo/demo-server.ts'],
  ['src/apps/demo/planted.ts', '../../index.ts'],
  ['src/apps/chaos/planted.ts', '../../campaign/chaos/journal.ts'],
  ['src/campaign/chaos/planted.ts', '../../sqlite/driver.ts'],
  ['src/campaign/chaos/planted.ts', '../report/markdown.ts'],
  ['src/apps/demo/planted.ts', './prompts.ts'],
  ['src/apps/monitor/planted.ts', '../../sqlite/open.ts'],
  ['src/apps/monitor/planted.ts', '../../errors.ts'],
  ['src/apps/codex/planted.ts', '../../process/file-lock.ts'],
  ['src/apps/codex/planted.ts', '../../dialects/stream/format-event.ts'],
  ['examples/story/planted.js', 'holdfast'],
];

describe('the layers', () => {
  let complaints: readonly string[];

  beforeAll(async () => {
    const lines = new Map<string, string[]>();
    for (const [from, specifier] of [...forbidden, ...legal]) {
      lines.set(from, [...(lines.get(from) ?? []), `import '${specifier}';`]);
    }
    const files = Object.fromEntries([...lines].map(([from, imports]) => [from, imports.join('\n')]));
    const found = await lint(files, 'style/noRestrictedImports');
    complaints = found.map(({ file, line }) => `${file} -> ${lines.get(file)?.[line - 1]}`);
  });

  it.each(forbidden)('[PKG-11] %s may not import %s', (from, specifier) => {
    expect(complaints).toContain(`${from} -> import '${specifier}';`);
  });

  it.each(legal)('%s may import %s', (from, specifier) => {
    expect(complaints).not.toContain(`${from} -> import '${specifier}';`);
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
