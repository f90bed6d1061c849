// @ts-check
/**
 * Which part of the source may import which: layers that point one way.
 *
 * The first entry whose `files` match a file decides. It may import its own folder (`own`), what is listed in `may`
 * (folders end in `/`), the packages in `packages`, and Node. `node:sqlite` is reached through `sqlite/driver.ts` only.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inRoot } from './root.mjs';

/**
 * @typedef {object} Layer
 * @property {RegExp} files paths below `src`
 * @property {string} says
 * @property {RegExp} [own] what belongs to the same layer, besides the file's own folder
 * @property {readonly string[]} may
 * @property {readonly string[]} [never] exceptions to `may` and `own`
 * @property {readonly string[]} [packages]
 * @property {readonly string[]} [node] modules of Node; all by default
 */

const LEAVES = ['errors.ts', 'clock.ts', 'crash-point.ts', 'limits.ts', 'plain-text.ts', 'stderr.ts'];
// What only looks at a process from outside has no crash points.
const OUTSIDE = LEAVES.filter((leaf) => leaf !== 'crash-point.ts');

/** @type {readonly Layer[]} */
const LAYERS = [
  {
    files: /^(errors|clock|crash-point|limits|plain-text|stderr)\.ts$/,
    may: LEAVES,
    says: 'Errors, clock and the other leaves import only each other and Node.',
  },
  {
    files: /^index\.ts$/,
    may: ['errors.ts', 'clock.ts', 'server/', 'engine/', 'store/', 'task/', 'codec/'],
    says: 'The root door exports from server, engine, store, task, codec, errors and clock.',
  },
  {
    files: /^task\//,
    may: ['errors.ts'],
    node: ['node:crypto'],
    says: 'The task is pure: it imports nothing outward but errors.',
  },
  { files: /^(sqlite|process|codec)\//, may: LEAVES, says: 'A leaf imports only errors, clock, crash-point and Node.' },
  {
    files: /^store\/[^/]+\//,
    may: [...LEAVES, 'store/*.ts', 'store/codec/', 'task/', 'sqlite/', 'codec/'],
    own: /^store\/[^/]+\//,
    says: 'A store imports the contract, task, codec and the sqlite leaf; it knows no other store.',
  },
  {
    files: /^store\//,
    may: [...LEAVES, 'task/', 'sqlite/', 'codec/'],
    says: 'The contract of stores imports task, codec and the sqlite leaf.',
  },
  {
    files: /^engine\//,
    own: /^engine\//,
    may: [...LEAVES, 'store/', 'task/', 'process/', 'codec/'],
    packages: ['zod', '@modelcontextprotocol/server/validators/ajv'],
    says: 'The engine imports store, task, process and codec, and for JSON Schema the validator of the SDK.',
  },
  {
    files: /^dialects\/[^/]+\/host\.ts$/,
    own: /^dialects\/[^/]+\//,
    may: [...OUTSIDE, 'dialects/*.ts', 'task/'],
    never: ['server.ts', 'follower.ts'],
    says: 'The host half of a dialect knows the wire: no engine, no store, no server half, no SDK.',
  },
  {
    files: /^dialects\/[^/]+\//,
    own: /^dialects\/[^/]+\//,
    may: [...LEAVES, 'dialects/*.ts', 'engine/', 'task/', 'process/'],
    says: 'A dialect stands on the engine, the task and the process leaf; it knows no other dialect, no server, no host and no SDK.',
  },
  {
    files: /^dialects\//,
    may: [...LEAVES, 'engine/', 'task/', 'codec/'],
    says: 'What dialects share stands on the engine and the task, and knows no server, host or SDK.',
  },
  {
    files: /^server\//,
    own: /^server\//,
    may: [...LEAVES, 'dialects/', 'engine/', 'task/', 'process/', 'codec/'],
    never: ['host.ts'],
    packages: ['zod', ...['', '/stdio'].map((part) => `@modelcontextprotocol/server${part}`)],
    says: 'The server uses the server halves of the dialects, the engine, task and process, and the SDK.',
  },
  {
    files: /^host\/ledger\//,
    may: [...OUTSIDE, 'dialects/host-port.ts', 'sqlite/', 'process/', 'task/', 'codec/'],
    says: 'The ledger keeps calls: it knows no server, no connection and no dialect.',
  },
  {
    files: /^host\//,
    own: /^host\//,
    may: [...OUTSIDE, 'dialects/', 'sqlite/', 'process/', 'task/', 'codec/'],
    never: ['server.ts', 'follower.ts'],
    packages: ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'],
    says: 'The host uses the host halves of the dialects, the leaves sqlite and process, and the task.',
  },
  {
    files: /^testing\//,
    own: /^testing\//,
    may: [...LEAVES, 'engine/', 'store/', 'task/', 'sqlite/', 'process/'],
    says: 'The testing door imports the engine and what lies below it.',
  },
  {
    files: /^cli\//,
    own: /^cli\//,
    may: [
      ...OUTSIDE,
      ...['apps/', 'campaign/', 'engine/', 'store/', 'task/', 'codec/', 'dialects/ui-prompts/', 'host/index.ts'],
    ],
    says: 'The command line uses the apps, the doors of engine, store and host, the log of prompts, and the words of task.',
  },
  {
    files: /^campaign\//,
    own: /^campaign\/[^/]+\//,
    may: [...OUTSIDE, 'campaign/report/', 'store/', 'task/', 'process/', 'host/index.ts', 'sqlite/driver.ts'],
    says: 'A campaign drives servers and hosts from outside, and reads the store; it shares only the report with the others.',
  },
  {
    files: /^apps\/chaos\//,
    own: /^apps\/[^/]+\//,
    may: ['index.ts', 'campaign/chaos/journal.ts'],
    packages: ['zod'],
    says: 'The workload of chaos uses the root door, and writes the journal that its judge reads.',
  },
  {
    files: /^apps\/monitor\//,
    own: /^apps\/[^/]+\//,
    may: ['index.ts', ...OUTSIDE, 'sqlite/'],
    packages: ['zod', '@modelcontextprotocol/server'],
    says: 'The monitor uses the root door, and for its own database the sqlite leaf.',
  },
  {
    files: /^apps\/codex\//,
    own: /^apps\/[^/]+\//,
    may: [
      ...[
        'index.ts',
        'errors.ts',
        'limits.ts',
        'stderr.ts',
        'process/',
        'dialects/cut-text.ts',
        'dialects/outcome-text.ts',
      ],
      ...['dialects/stream/', 'dialects/ui-prompts/'],
    ],
    packages: ['zod'],
    says: 'Codex uses the root door, the process leaf, and the words of the contracts its state file belongs to.',
  },
  {
    files: /^apps\//,
    own: /^apps\/[^/]+\//,
    may: ['index.ts'],
    packages: ['zod', '@modelcontextprotocol/server'],
    says: 'An app uses the root door, as a program of a user does.',
  },
];

/**
 * Why a file may not import something; nothing when it may.
 *
 * @param {string} file below `src`
 * @param {string} specifier as it stands in the import
 */
export function findCrossing(file, specifier) {
  const layer = LAYERS.find(({ files }) => files.test(file));
  if (layer === undefined) return `${file} belongs to no layer of scripts/layers.mjs`;
  return mayImport(layer, file, specifier) ? undefined : layer.says;
}

/**
 * @param {Layer} layer
 * @param {string} file
 * @param {string} specifier
 */
function mayImport(layer, file, specifier) {
  if (isBuiltin(specifier)) {
    if (specifier === 'node:sqlite') return false;
    return layer.node?.includes(specifier) ?? true;
  }
  if (!specifier.startsWith('.')) return layer.packages?.includes(specifier) ?? false;
  const target = normalize(join(dirname(file), specifier));
  const isOwn = dirname(target) === dirname(file) || toOwn(layer, file) === toOwn(layer, target);
  if (!isOwn) return layer.may.some((place) => covers(place, target)) && !isDenied(layer, target);
  return dirname(file) === '.' ? layer.may.includes(target) : !isDenied(layer, target);
}

/** @param {Layer} layer @param {string} path */
function toOwn({ own }, path) {
  return own?.exec(path)?.[0] ?? dirname(path);
}

/** @param {Layer} layer @param {string} target */
function isDenied({ never = [] }, target) {
  return /^dialects\/[^/]+\//.test(target) && never.some((name) => target.endsWith(`/${name}`));
}

/** @param {string} place @param {string} target */
function covers(place, target) {
  if (place.endsWith('/')) return target.startsWith(place);
  return place.endsWith('/*.ts') ? dirname(target) === dirname(place) : target === place;
}

/** Every crossing in the source, one line each. */
export function listCrossings() {
  const src = inRoot('src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8');
    return listImports(text).flatMap((specifier) => {
      const why = findCrossing(file, specifier);
      return why === undefined ? [] : [`src/${file} imports ${specifier}: ${why}`];
    });
  });
}

/** @param {string} text */
function listImports(text) {
  const statements = text.matchAll(
    /^(?:import|export)\b[^'"`;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...statements].map(([, from, bare, late]) => from ?? bare ?? late ?? '');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const crossings = listCrossings();
  for (const line of crossings) console.error(line);
  process.exitCode = crossings.length === 0 ? 0 : 1;
}
