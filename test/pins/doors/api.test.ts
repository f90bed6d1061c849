import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readDoor, readDoors } from '../../../scripts/api/declarations.mjs';
import { findUnexported } from '../../../scripts/api/named-types.mjs';
import { findUndocumented, toPages } from '../../../scripts/api/pages.mjs';

const reference = fileURLToPath(new URL('../../../docs/api/', import.meta.url));

describe('the doors', () => {
  it('[ROOMS-154] export every type that they name', () => {
    expect(findUnexported(readDoors())).toEqual([]);
  });

  it('[ROOMS-160] the one for authors of stores needs no other', () => {
    const store = readDoors().filter(({ path }) => path === 'holdfast/store');
    expect(findUnexported(store)).toEqual([]);
    expect(store[0]?.exports.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Store', 'TaskStore', 'decideEnd']),
    );
  });

  it('[ROOMS-161] let an author of a store import all that our own store in memory is made of', async () => {
    const folder = fileURLToPath(new URL('../../../src/store/memory/', import.meta.url));
    const open = new Set(readDoors().flatMap(({ exports }) => exports.map(({ name }) => name)));
    const closed: string[] = [];
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
    for (const file of files) {
      const text = await readFile(join(folder, file), 'utf8');
      for (const [, names = '', from = ''] of text.matchAll(/^import (?:type )?\{([^}]*)\} from '(\.\.[^']+)'/gm)) {
        if (!join(dirname(file), from).startsWith('..')) continue;
        const used = names.split(',').map((name) => name.replace(/\btype |\s+as .*/g, '').trim());
        closed.push(...used.filter((name) => name !== '' && !open.has(name)).map((name) => `${name} of ${from}`));
      }
    }
    expect(closed).toEqual([]);
    expect(files).toContain('tasks/memory-tasks.ts');
  });

  it('[ROOMS-155] say of every name what it is', () => {
    expect(findUndocumented(readDoors())).toEqual([]);
  });

  it('[ROOMS-156] are described in docs/api, as `npm run api` writes it', async () => {
    const pages = toPages(readDoors());
    expect((await readdir(reference)).sort()).toEqual([...pages.keys()].sort());
    for (const [file, page] of pages) {
      expect(
        page === (await readFile(join(reference, file), 'utf8')),
        `${file} is new; otherwise run npm run api`,
      ).toBe(true);
    }
  });
});

describe('a door with faults', () => {
  async function openDoor(files: Readonly<Record<string, string>>) {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-door-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
    return readDoor('faulty', join(folder, 'index.d.ts'));
  }

  const shapes = `/** A shape. */
export interface Shape<T> extends Base { of: Hidden<T>; parts: Inner[]; own: Own }
export interface Base { id: string }
export type Hidden<T> = T extends { at: infer At } ? At : Deep;
type Own = Deep;
interface Deep { n: number }
export declare class Inner { #private; }
`;

  it('[ROOMS-154] is told of each type behind its names, wherever that is declared', async () => {
    const door = await openDoor({ 'shapes.d.ts': shapes, 'index.d.ts': `export type { Shape } from './shapes.ts';\n` });
    const missing = findUnexported([door]).map((found) => found.replace(/ .*/, ''));
    expect(missing).toEqual(['Base', 'Deep', 'Hidden', 'Inner']);
  });

  it('[ROOMS-155] is told of each name that nothing is said of', async () => {
    const door = await openDoor({
      'shapes.d.ts': shapes,
      'index.d.ts': `export { type Base, Inner, type Shape } from './shapes.ts';\n`,
    });
    expect(findUndocumented([door])).toEqual(['faulty: Base', 'faulty: Inner']);
  });

  it('[ROOMS-157] is shown with signatures, members and defaults', async () => {
    const door = await openDoor({
      'index.d.ts': `/** Faulty things. */
/** Opens one. */
export declare function openThing(options?: ThingOptions): Promise<void>;
/** How one is opened. */
export interface ThingOptions {
    /** How long it is waited for. @default 1000 */
    readonly waitMs?: number;
    /**
     * Who asks.
     *
     * @default the owner
     */
    readonly by?: string;
}
`,
    });
    expect(toPages([door]).get('faulty.md')).toBe(`# faulty

Faulty things.

## Functions and values

### openThing

Opens one.

\`\`\`ts
function openThing(options?: ThingOptions): Promise<void>;
\`\`\`

## Types

### ThingOptions

How one is opened.

\`\`\`ts
interface ThingOptions
\`\`\`

- \`waitMs?: number\`: How long it is waited for. Default: \`1000\`.
- \`by?: string\`: Who asks. Default: the owner.
`);
  });
});
