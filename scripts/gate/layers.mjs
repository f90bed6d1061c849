// @ts-check
/**
 * Which part of the source may import which: layers whose imports point in one direction.
 *
 * The first entry whose `files` match a file applies. The file may import its own folder (`own`), what is listed in `may`
 * (folders end in `/`), the packages in `packages`, and Node. `node:sqlite` is imported through `sqlite/driver.ts` only.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inRoot } from '../root.mjs';

/**
 * @typedef {object} Layer
 * @property {RegExp} files paths below `src`
 * @property {string} says
 * @property {RegExp} [own] files of the same layer, in addition to the file's own folder
 * @property {readonly string[]} may
 * @property {readonly string[]} [never] exceptions to `may` and `own`: paths, or file names in a dialect's folder
 * @property {readonly string[]} [packages]
 * @property {readonly string[]} [node] modules of Node; all by default
 */

const LEAVES = [
  ...['errors.ts', 'app-only.ts', 'clock.ts', 'crash-point.ts', 'limits.ts', 'stderr.ts'],
  ...['invalid-field.ts', 'is-object.ts', 'keep-alive.ts', 'rpc-codes.ts'],
  ...['make-directory-sync.ts', 'node-version.ts', 'own-url.ts', 'require-node.ts'],
  ...['cut-text', 'near-name', 'plain-text', 'shell-word', 'value-text'].map((leaf) => `text/${leaf}.ts`),
];
// Code that only observes a process from outside has no crash points.
const OUTSIDE = LEAVES.filter((leaf) => leaf !== 'crash-point.ts');
// For code that accepts options. It imports zod, which nothing below the engine loads.
const OPTIONS = 'options/';
// What a dialect may import of the others: shared code and the interfaces they implement. Not the table, which names them.
const DIALECT_SEAMS = ['dialect', 'server-dialect', 'host-dialect', 'server-port', 'host-port', 'spec-fields'].map(
  (seam) => `dialects/${seam}.ts`,
);
const SHARED = [...DIALECT_SEAMS, 'dialects/shared/'];

const DIALECTS_FOR_HOSTS = ['dialects/*.ts', 'dialects/shared/'];
const CLIENT = ['zod', '@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'];
const BELOW_SERVER = [
  ...LEAVES,
  OPTIONS,
  'dialects/*.ts',
  'dialects/shared/',
  'engine/',
  'task/',
  'process/',
  'codec/',
];
// What every folder of the server may import.
const SERVER_LEAVES = ['tools', 'clients', 'frames', 'secrets'].map((room) => `server/${room}/`);
const SERVER_PACKAGES = ['', '/stdio'].map((part) => `@modelcontextprotocol/server${part}`);
SERVER_PACKAGES.push('zod');

/** @type {readonly Layer[]} */
const LAYERS = [
  {
    files: new RegExp(`^(${LEAVES.map((leaf) => leaf.replace('.ts', '')).join('|')})\\.ts$`),
    may: LEAVES,
    says: 'Errors, clock and the other leaves import only each other and Node.',
  },
  {
    files: /^index\.ts$/,
    may: ['errors.ts', 'clock.ts', 'server/', 'dialects/*.ts', 'engine/', 'store/', 'task/', 'codec/'],
    says: 'The root door exports from server, the seams of dialects, engine, store, task, codec, errors and clock.',
  },
  {
    files: /^task\//,
    may: ['errors.ts', 'is-object.ts'],
    node: ['node:crypto'],
    says: 'The task is pure: it imports nothing outward but errors.',
  },
  { files: /^(sqlite|process|codec)\//, may: LEAVES, says: 'A leaf imports only errors, clock, crash-point and Node.' },
  {
    files: /^options\//,
    may: [...OUTSIDE, 'codec/'],
    packages: ['zod'],
    says: 'What reads options knows zod, the leaves and the codec, and nobody whose options they are.',
  },
  {
    files: /^store\/contracts\//,
    may: ['task/', 'codec/'],
    says: 'What a store promises is said in words of the task and the codec, and knows no store.',
  },
  {
    files: /^store\/copy\//,
    may: [...LEAVES, 'store/', 'task/', 'sqlite/', 'codec/'],
    says: 'A copy knows both stores, and their tables.',
  },
  {
    files: /^store\/[^/]+\//,
    may: [...LEAVES, 'store/*.ts', 'store/contracts/', 'store/codec/', 'task/', 'sqlite/', 'codec/'],
    own: /^store\/[^/]+\//,
    says: 'A store imports the contract, task, codec and the sqlite leaf; it knows no other store.',
  },
  {
    files: /^store\//,
    may: [...LEAVES, 'store/contracts/', 'task/', 'sqlite/', 'codec/'],
    says: 'The contract of stores imports task, codec and the sqlite leaf.',
  },
  {
    files: /^engine\//,
    own: /^engine\//,
    may: [...LEAVES, OPTIONS, 'store/', 'task/', 'process/', 'codec/'],
    packages: ['zod', '@modelcontextprotocol/server/validators/ajv'],
    says: 'The engine imports store, task, process and codec, and for JSON Schema the validator of the SDK.',
  },
  {
    files: /^dialects\/shared\//,
    own: /^dialects\/shared\//,
    may: [...LEAVES, ...DIALECT_SEAMS, OPTIONS, 'engine/', 'task/', 'process/', 'codec/'],
    says: 'What dialects share knows none of them, and no server, host or SDK.',
  },
  {
    files: /^dialects\/[^/]+\/host-[^/]+\.ts$/,
    own: /^dialects\/[^/]+\//,
    may: [...OUTSIDE, ...SHARED, OPTIONS, 'task/'],
    never: ['server.ts', 'server-half.ts', 'follower.ts'],
    says: 'The host half of a dialect knows the wire: no engine, no store, no server half, no other dialect, no SDK.',
  },
  {
    files: /^dialects\/[^/]+\//,
    own: /^dialects\/[^/]+\//,
    may: [...LEAVES, ...SHARED, OPTIONS, 'engine/', 'task/', 'process/'],
    packages: ['zod'],
    says: 'A dialect stands on the engine, the task and the process leaf; it knows no other dialect, no server, no host and no SDK.',
  },
  {
    files: /^dialects\/(table|options|index)\.ts$/,
    own: /^dialects\//,
    may: [],
    says: 'The table of dialects, and the options that are checked before a half is loaded, are all that names dialects.',
  },
  {
    files: /^dialects\//,
    may: [...LEAVES, ...SHARED, 'engine/', 'task/', 'codec/'],
    never: ['dialects/table.ts'],
    packages: ['zod'],
    says: 'The seams of dialects stand on the engine, the task and what is shared, and know no dialect, server, host or SDK.',
  },
  {
    files: /^server\/(tools|clients|frames|secrets)\//,
    may: [...BELOW_SERVER, 'server/*.ts', 'server/frames/'],
    packages: SERVER_PACKAGES,
    says: 'What a call is made of and asked for knows no room that it walks through; of dialects it knows the seams.',
  },
  {
    files: /^server\/tasks\//,
    may: [...BELOW_SERVER, 'server/*.ts', ...SERVER_LEAVES],
    packages: SERVER_PACKAGES,
    says: 'What makes tasks of calls knows no room before it, and no dialect by name.',
  },
  {
    files: /^server\/calls\//,
    may: [...BELOW_SERVER, 'server/*.ts', ...SERVER_LEAVES, 'server/tasks/'],
    packages: SERVER_PACKAGES,
    says: 'A call goes on to dialects and tasks: calls know no transport, no SDK server and no dialect by name.',
  },
  {
    files: /^server\/sdk\//,
    may: [...BELOW_SERVER, 'server/*.ts', ...SERVER_LEAVES, 'server/calls/'],
    packages: SERVER_PACKAGES,
    says: 'The SDK server hands calls on: it knows no transport, and no dialect by name.',
  },
  {
    files: /^server\/admission\//,
    may: [...BELOW_SERVER, 'server/*.ts'],
    says: 'Whether a request over HTTP is let in is known before anything is known of its session or its call.',
  },
  {
    files: /^server\/sse\//,
    may: [...BELOW_SERVER, 'server/*.ts', ...SERVER_LEAVES, 'server/admission/', 'server/sdk/'],
    packages: SERVER_PACKAGES,
    says: 'A stream of events knows no session and no HTTP handler.',
  },
  {
    files: /^server\/sessions\//,
    may: [
      ...BELOW_SERVER,
      'server/*.ts',
      ...SERVER_LEAVES,
      ...['admission', 'sse', 'sdk', 'calls'].map((room) => `server/${room}/`),
    ],
    packages: SERVER_PACKAGES,
    says: 'A session stands on its streams: it knows no HTTP handler.',
  },
  {
    files: /^server\//,
    own: /^server\//,
    may: BELOW_SERVER,
    packages: SERVER_PACKAGES,
    says: 'The server knows the table and the seams of dialects and no dialect by name; it uses the engine, task, process and the SDK.',
  },
  {
    files: /^host\/ledger\//,
    may: [...OUTSIDE, 'dialects/host-port.ts', 'sqlite/', 'process/', 'task/', 'codec/'],
    says: 'The ledger keeps calls: it knows no server, no connection and no dialect.',
  },
  {
    files: /^host\/transports\//,
    may: [...OUTSIDE, OPTIONS, ...DIALECTS_FOR_HOSTS, 'process/', 'task/'],
    packages: CLIENT,
    says: 'The transports of a host know no call and no server but its spec.',
  },
  {
    files: /^host\/servers\//,
    may: [...[...OUTSIDE, ...DIALECTS_FOR_HOSTS, 'process/', 'task/'], ...['host/transports/', 'host/ledger/']],
    packages: CLIENT,
    says: 'The servers of a host stand on the transports, and know no call.',
  },
  {
    files: /^host\/calls\//,
    own: /^host\//,
    may: [...OUTSIDE, OPTIONS, ...DIALECTS_FOR_HOSTS, 'task/'],
    packages: ['zod'],
    never: ['host/host.ts', 'host/index.ts'],
    says: 'The calls of a host stand on its servers and its ledger, and know the dialects by their table and interface.',
  },
  {
    files: /^host\//,
    own: /^host\//,
    may: [...OUTSIDE, OPTIONS, ...DIALECTS_FOR_HOSTS, 'process/', 'task/', 'codec/'],
    packages: CLIENT,
    says: 'The host knows the dialects by their table and interface, and none of them by name.',
  },
  {
    files: /^gateway\/auth\//,
    may: [...OUTSIDE, 'process/', 'codec/'],
    packages: ['@modelcontextprotocol/client'],
    says: 'Signing in at upstreams stands on the SDK and a file.',
  },
  {
    files: /^gateway\/clients\//,
    may: OUTSIDE,
    packages: ['zod', 'jsonc-parser', 'toml-eslint-parser'],
    says: 'What changes the files of clients knows the files and nothing of calls.',
  },
  {
    files: /^gateway\//,
    own: /^gateway\//,
    may: [...OUTSIDE, OPTIONS, 'index.ts', 'host/index.ts', 'store/sqlite/directory.ts'],
    packages: ['zod', '@modelcontextprotocol/client'],
    says: 'A gateway is a server and a host back to back: it knows their doors, and nothing behind them.',
  },
  {
    files: /^dashboard\//,
    own: /^dashboard\//,
    may: [...OUTSIDE, OPTIONS, 'index.ts', 'process/'],
    says: 'The dashboard shows what a task client sees: it knows the root door, and no store, server or host.',
  },
  {
    files: /^sandbox\//,
    own: /^sandbox\//,
    may: [
      ...[...OUTSIDE, 'index.ts', 'host/index.ts', 'gateway/index.ts', 'dashboard/', 'process/', 'codec/'],
      ...['dialects/ui-prompts/', 'store/index.ts', 'store/sqlite/page-limit.ts'],
    ],
    says: 'The sandbox is a gateway, a host and the dashboard: it knows their doors, the log of prompts, what is secret, and how a store is filled.',
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
      OPTIONS,
      ...['apps/', 'campaign/', 'gateway/', 'dashboard/', 'sandbox/', 'engine/', 'store/', 'task/', 'codec/'],
      ...['host/index.ts', 'host/prestart-keeper.ts'],
      ...['dialects/ui-prompts/', 'dialects/shared/async-task.ts'],
    ],
    packages: ['zod'],
    says: 'The command line uses the apps, the gateway, the dashboard and the sandbox, the doors of engine, store and host, the log of prompts, and the words of task.',
  },
  {
    files: /^campaign\//,
    own: /^campaign\/[^/]+\//,
    may: [
      ...[...OUTSIDE, OPTIONS, 'campaign/report/', 'store/', 'task/', 'process/', 'host/index.ts', 'sqlite/driver.ts'],
      ...['apps/chaos/journal.ts', 'apps/chaos/targets.ts'],
    ],
    packages: ['zod'],
    says: 'A campaign drives servers and hosts from outside, reads the store and the journal of its workload, and shares only the report with the others.',
  },
  {
    files: /^app-kit\//,
    may: [
      ...[...OUTSIDE, OPTIONS, 'process/', 'sqlite/', 'dialects/shared/outcomes/outcome-text.ts'],
      ...['dialects/shared/bytes/line-reader.ts', 'dialects/ui-prompts/confine.ts'],
    ],
    says: 'The door for apps stands on the leaves, and on words that dialects share.',
  },
  {
    files: /^apps\//,
    own: /^apps\/[^/]+\//,
    may: [
      ...['index.ts', 'app-kit/index.ts', 'host/index.ts', 'store/postgres/index.ts'],
      ...['dialects/stream/index.ts', 'dialects/ui-prompts/index.ts'],
    ],
    packages: ['zod', '@modelcontextprotocol/server'],
    says: 'An app uses the doors, as a program of a user does.',
  },
];

/**
 * Why a file may not import something; undefined if it may.
 *
 * @param {string} file below `src`
 * @param {string} specifier as written in the import
 */
export function findLayerViolation(file, specifier) {
  const layer = LAYERS.find(({ files }) => files.test(file));
  if (layer === undefined) return `${file} belongs to no layer of scripts/gate/layers.mjs`;
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
  const isInDialect = /^dialects\/[^/]+\//.test(target);
  return never.some((name) => (name.includes('/') ? target === name : isInDialect && target.endsWith(`/${name}`)));
}

/** @param {string} place @param {string} target */
function covers(place, target) {
  if (place.endsWith('/')) return target.startsWith(place);
  return place.endsWith('/*.ts') ? dirname(target) === dirname(place) : target === place;
}

/** Lists every forbidden import in the source, one line each. */
export function listLayerViolations() {
  const src = inRoot('src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8');
    return listImports(text).flatMap((specifier) => {
      const why = findLayerViolation(file, specifier);
      return why === undefined ? [] : [`src/${file} imports ${specifier}: ${why}`];
    });
  });
}

/** @param {string} text */
export function listImports(text) {
  const statements = text.matchAll(
    /^(?:import|export)\b[^'"`;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...statements].map(([, from, bare, late]) => from ?? bare ?? late ?? '');
}

/**
 * Lists modules that a host would load at run time and must not, one line each. An allowed import may lead to a file that
 * imports a forbidden one: the table checks direct imports, and this follows them. The table of dialects leads to both
 * halves, so each host half is checked on its own.
 */
export function listForbiddenHostImports() {
  const src = inRoot('src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' });
  const roots = files.filter((file) => /^host\/.*\.ts$|^dialects\/[^/]+\/host-half\.ts$/.test(file));
  const seen = new Set(['dialects/table.ts', ...roots]);
  const queue = [...roots];
  const found = [];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    const text = readFileSync(join(src, file), 'utf8').replace(/^(?:import|export) type\b[^;]*;/gm, '');
    for (const specifier of listImports(text).filter((one) => one.startsWith('.'))) {
      const target = normalize(join(dirname(file), specifier));
      if (/^(?:engine|store|server)\/|\/server(?:-half)?\.ts$/.test(target))
        found.push(`src/${file} loads src/${target}`);
      else if (!seen.has(target)) queue.push(target);
      seen.add(target);
    }
  }
  return found;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const violations = [...listLayerViolations(), ...listForbiddenHostImports()];
  for (const line of violations) console.error(line);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
