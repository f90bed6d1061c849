import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Ways to let time pass instead of waiting for a state. */
const SLEEPS = [
  /\bawait\s+(?:sleep|delay|wait)\(/,
  /\bsetTimeout\(\s*(?:resolve|res|r|done|ok)\b/,
  /\bnew Promise\b.*\bsetTimeout\(/,
  /['"](?:node:)?timers\/promises['"]/,
  /\bpromisify\(\s*setTimeout\s*\)/,
  /\bscheduler\.wait\(/,
  /\bAtomics\.wait\(/,
];

/** Files that may let time pass, each with the reason. */
const WAITERS: Readonly<Record<string, string>> = {
  'test/pins/house.test.ts': 'it lists what a sleep looks like',
  'test/programs/crash/crash-engine.js': 'its tools are work that takes time',
  'test/programs/frameworks/bundled-app.js': 'its tool is work that blocks its thread',
  'test/programs/frameworks/report-tool.js': 'it is work that takes time',
  'test/programs/workers/engine-program.js': 'its tools are work that takes time',
  'test/campaign/gateway/gateway-kills.ts': 'kills come at random moments',
  'test/programs/foreign/journal-server.js': 'its tools are work that takes time',
  'test/programs/servers/whoami-server.js': 'its tools are work that takes time',
  'test/programs/workers/late-heart.js': 'it takes its time to load',
  'test/programs/workers/member-program.js': 'its tools are work that takes time',
  'test/programs/workers/work-for.js': 'it is work that takes time',
};

const EMPTY_NAMES = ['utils', 'util', 'helpers', 'helper', 'types', 'common', 'interfaces', 'misc', 'shared'];

describe('the house rules', () => {
  it.each([
    'await sleep(10);',
    'await new Promise((resolve) => setTimeout(resolve, 10));',
    'await new Promise((go) => setTimeout(() => go(1), 10));',
    "import { setTimeout } from 'node:timers/promises';",
    'Atomics.wait(view, 0, 0, 10);',
  ])('know a sleep when they see one: %s', (line) => {
    expect(findSleeps(line)).toEqual([1]);
  });

  it('[PKG-12] no test sleeps instead of waiting for a state', async () => {
    const found: string[] = [];
    for (const file of await listSources('test')) {
      if (file in WAITERS) continue;
      for (const line of findSleeps(await readFile(join(root, file), 'utf8'))) found.push(`${file}:${line}`);
    }
    expect(found).toEqual([]);
  });

  it('every exception to the sleep rule is still needed', async () => {
    for (const file of Object.keys(WAITERS)) {
      expect(findSleeps(await readFile(join(root, file), 'utf8')), file).not.toEqual([]);
    }
  });

  it('every file is named for what it holds', async () => {
    const folders = ['src', 'test', 'scripts', 'bench', 'examples'];
    const files = (await Promise.all(folders.map(listSources))).flat();
    expect(files.filter((file) => EMPTY_NAMES.includes(basename(file).split('.')[0] ?? ''))).toEqual([]);
  });

  it('no test is switched off or runs alone', async () => {
    const found: string[] = [];
    for (const file of await listSources('test')) {
      const text = await readFile(join(root, file), 'utf8');
      if (/\b(?:it|test|describe)\.(?:only|skip|todo)\b/.test(text)) found.push(file);
    }
    expect(found).toEqual([]);
  });
});

function findSleeps(text: string): number[] {
  return text.split('\n').flatMap((line, index) => (SLEEPS.some((sleep) => sleep.test(line)) ? [index + 1] : []));
}

async function listSources(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && /\.(?:ts|js|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
