/** The files of a new server. */
import { join } from 'node:path';
import { toClientsPage } from './clients-page.ts';
import { toLines } from './to-lines.ts';

export interface TemplateOptions {
  readonly name: string;
  /** The directory of the new server; clients need its absolute path. */
  readonly folder: string;
  /** The version of this package. */
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const ENTRY = 'dist/src/server.js';

/** File texts by path. */
export function toTemplate(options: TemplateOptions): Readonly<Record<string, string>> {
  const { name, folder } = options;
  return {
    'package.json': toJson(toManifest(options)),
    'tsconfig.json': toJson(TSCONFIG),
    '.gitignore': toLines(`
      node_modules
      dist
    `),
    '.mcp.json': toJson({ mcpServers: { [name]: { command: 'node', args: [ENTRY] } } }),
    'src/server.ts': toServer(name),
    'test/server.test.ts': toTest(),
    'README.md': toClientsPage({ name, entry: join(folder, ENTRY) }),
  };
}

const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    types: ['node'],
    rootDir: '.',
    outDir: 'dist',
  },
  include: ['src', 'test'],
};

function toManifest({ name, version, peerDependencies }: TemplateOptions): object {
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: {
      build: 'tsc',
      start: `node ${ENTRY}`,
      test: 'tsc && node --test dist/test/server.test.js',
      call: `tsc && holdfast call render_report "{\\"pages\\":20}" -- node ${ENTRY}`,
    },
    dependencies: { holdfast: `^${version}`, zod: peerDependencies.zod ?? '^4.0.0' },
    devDependencies: { '@types/node': '^20.19.0', typescript: '>=5.9.0' },
  };
}

function toServer(name: string): string {
  return toLines(`
    import { setTimeout as pause } from 'node:timers/promises';
    import { createServer } from 'holdfast';
    import { z } from 'zod';

    const server = createServer({ name: '${name}', version: '0.1.0' });

    server.tool('render_report', {
      description: 'Renders a report, page by page',
      input: z.object({ pages: z.number().int().min(1).max(1000).default(20) }),
      // How long it will take, for clients that show it. Without it, Holdfast learns from past runs.
      estimateMs: ({ pages }) => pages * 500,
      // It may be run again after a crash. Leave this out for work that must not happen twice.
      idempotent: true,
      async run({ pages }, task) {
        for (let page = 1; page <= pages; page += 1) {
          // After a crash, finished steps are not repeated: their results are stored.
          await task.step(\`page \${page}\`, () => pause(500, undefined, { signal: task.signal }));
          await task.progress(page / pages, \`page \${page} of \${pages}\`);
        }
        return \`rendered \${pages} pages\`;
      },
    });

    await server.serveStdio();
  `);
}

// Split, because a bundler would replace `import.meta.url` in this text with the URL of the bundle.
const HERE = ['import.meta', 'url'].join('.');

function toTest(): string {
  return toLines(`
    import assert from 'node:assert/strict';
    import { mkdtemp, rm } from 'node:fs/promises';
    import { tmpdir } from 'node:os';
    import { join } from 'node:path';
    import { test } from 'node:test';
    import { fileURLToPath } from 'node:url';
    import { createHost } from 'holdfast/host';

    const entry = fileURLToPath(new URL('../src/server.js', ${HERE}));

    test('a report is rendered', async (context) => {
      // A separate store, so that tests and daily work do not mix.
      const folder = await mkdtemp(join(tmpdir(), 'reports-'));
      context.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
      const host = await createHost();
      context.after(() => host.close());
      await host.connect('server', { command: process.execPath, args: [entry], env: { HOLDFAST_DIR: folder } });

      const call = await host.call('server', 'render_report', { pages: 3 });
      const outcome = await call.outcome();

      assert.equal(outcome.kind, 'result');
      assert.deepEqual(outcome.result.content, [{ type: 'text', text: 'rendered 3 pages' }]);
    });
  `);
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
