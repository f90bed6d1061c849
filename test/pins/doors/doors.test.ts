import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { TaskError, taskErrorCodes } from '../../../src/errors.ts';
import { EXPORTED_NAMES } from './exported-names.ts';

const root = new URL('../../../', import.meta.url);

const DOORS = {
  '.': { types: './dist/index.d.ts', default: './dist/index.js' },
  './app-kit': { types: './dist/app-kit/index.d.ts', default: './dist/app-kit/index.js' },
  './dashboard': { types: './dist/dashboard/index.d.ts', default: './dist/dashboard/index.js' },
  './dialects': { types: './dist/dialects/index.d.ts', default: './dist/dialects/index.js' },
  './gateway': { types: './dist/gateway/index.d.ts', default: './dist/gateway/index.js' },
  './host': { types: './dist/host/index.d.ts', default: './dist/host/index.js' },
  './postgres': { types: './dist/store/postgres/index.d.ts', default: './dist/store/postgres/index.js' },
  './store': { types: './dist/store/index.d.ts', default: './dist/store/index.js' },
  './stream': { types: './dist/dialects/stream/index.d.ts', default: './dist/dialects/stream/index.js' },
  './testing': { types: './dist/testing/index.d.ts', default: './dist/testing/index.js' },
  './ui-prompts': { types: './dist/dialects/ui-prompts/index.d.ts', default: './dist/dialects/ui-prompts/index.js' },
  './package.json': './package.json',
};

/** code: JSON-RPC number, HTTP status, exit code, retryable */
const ERRORS = {
  TASK_NOT_FOUND: [-32602, 404, 4, false],
  ARTIFACT_NOT_FOUND: [-32602, 404, 4, false],
  TOOL_NOT_FOUND: [-32602, 404, 4, false],
  INVALID_ARGUMENT: [-32602, 400, 2, false],
  INVALID_TTL: [-32602, 400, 2, false],
  IDEMPOTENCY_CONFLICT: [-32602, 409, 5, false],
  ALIAS_CONFLICT: [-32602, 409, 5, false],
  QUEUE_FULL: [-32603, 503, 6, true],
  QUOTA_EXCEEDED: [-32029, 429, 6, true],
  QUESTION_NOT_OPEN: [-32602, 409, 5, false],
  ANSWER_INVALID: [-32602, 400, 2, false],
  QUESTION_DECLINED: [-32603, 409, 5, false],
  REPLAY_MISMATCH: [-32603, 500, 70, false],
  TOOL_FAILED: [-32603, 500, 1, false],
  RESULT_NOT_SERIALIZABLE: [-32603, 500, 1, false],
  RESULT_TOO_LARGE: [-32603, 500, 1, false],
  NOT_STARTED: [-32603, 503, 6, true],
  TIMED_OUT: [-32603, 504, 1, false],
  CRASHED: [-32603, 500, 1, false],
  LISTEN_FAILED: [-32603, 500, 69, true],
  STALLED: [-32603, 504, 1, true],
  CANCELLED: [-32603, 409, 1, false],
  PARKED: [-32603, 409, 5, true],
  LEASE_LOST: [-32603, 409, 5, true],
  SPAWN_FAILED: [-32603, 500, 1, false],
  COMMAND_NOT_FOUND: [-32603, 500, 69, false],
  INTERRUPTED: [-32603, 500, 1, false],
  STORE_CORRUPT: [-32603, 500, 65, false],
  STORE_FOREIGN: [-32603, 500, 65, false],
  STORE_SCHEMA_NEWER: [-32603, 500, 65, false],
  STORE_SCHEMA_OLDER: [-32603, 500, 65, false],
  STORE_READ_ONLY: [-32603, 500, 73, false],
  STORE_NO_ACCESS: [-32603, 500, 77, false],
  STORE_NOT_FOUND: [-32603, 500, 66, false],
  STORE_GONE: [-32603, 503, 66, false],
  STORE_MOVED: [-32603, 503, 66, false],
  STORE_LOCKED: [-32603, 503, 75, true],
  STORE_FULL: [-32603, 507, 74, true],
  STORE_CLOSED: [-32603, 503, 70, false],
  STORE_KEY_MISSING: [-32603, 500, 78, false],
  STORE_KEY_WRONG: [-32603, 500, 78, false],
  STORE_FAILED: [-32603, 500, 74, false],
  ENGINE_CLOSED: [-32603, 503, 70, true],
  HOST_CLOSED: [-32603, 503, 70, false],
  SERVER_NOT_FOUND: [-32602, 404, 4, false],
  UNTRUSTED_CONFIG: [-32603, 403, 77, false],
  CONNECT_FAILED: [-32603, 502, 69, true],
  LINE_LOST: [-32603, 502, 69, true],
  SIGN_IN_NEEDED: [-32603, 502, 77, true],
  SIGN_IN_FAILED: [-32603, 502, 77, true],
  DETACHED: [-32603, 409, 5, true],
  CALL_NOT_FOUND: [-32602, 404, 4, false],
  AMBIGUOUS_ID: [-32602, 400, 2, false],
  USAGE: [-32602, 400, 2, false],
  INTERNAL: [-32603, 500, 70, false],
};

describe('the doors', () => {
  it('[PKG-09] package.json has exactly these', async () => {
    const { exports, bin } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
    expect(exports).toEqual(DOORS);
    expect(bin).toEqual({ holdfast: './dist/cli/main.js' });
  });

  it.each(Object.entries(EXPORTED_NAMES))(
    '[PKG-09] %s exports exactly these names',
    async (door, { values, types }) => {
      const { default: script, types: declarations } = DOORS[door as Exclude<keyof typeof DOORS, './package.json'>];
      const module: object = await import(new URL(script, root).href);
      expect(Object.keys(module).sort()).toEqual(values);
      const declared = toDeclaredNames(await readFile(new URL(declarations, root), 'utf8'));
      expect(declared.filter((name) => !values.includes(name))).toEqual(types);
    },
  );
});

describe('the error codes', () => {
  it('[PKG-10] keep their numbers', () => {
    const table = taskErrorCodes.map((code) => {
      const { rpc, http, exit, retryable } = new TaskError(code, '').traits;
      return [code, [rpc, http, exit, retryable]];
    });
    expect(Object.fromEntries(table)).toEqual(ERRORS);
  });
});

/** Every name a door's declarations export; a door has only named re-exports. */
function toDeclaredNames(text: string): string[] {
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(([, list = '']) => list.split(','));
  const names = lists.flat().map((part) =>
    part
      .trim()
      .replace(/^type /, '')
      .replace(/^.* as /, ''),
  );
  return names.filter((name) => name !== '').sort();
}
