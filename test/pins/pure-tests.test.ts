import childProcess from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findImpurity, listPureTests } from '../../scripts/gate/pure-tests.mjs';
import { refuseProcesses } from '../refuse-processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the pure tests', () => {
  const pure = listPureTests();

  it('[ROOMS-202] are the ones of what is decided without a process, a server or a database', () => {
    expect(pure).toEqual(expect.arrayContaining(['test/store/decide.test.ts', 'test/task/status.test.ts']));
    expect(pure).toEqual(
      expect.arrayContaining(['test/dialects/stream/wire.test.ts', 'test/cli/terminal/question-url.test.ts']),
    );
    expect(pure.length).toBeGreaterThan(50);
  });

  it.each([
    ['test/store/sqlite/contract.test.ts', '@photostructure/sqlite'],
    ['test/server/calls/hand-over.test.ts', 'holdfast'],
    ['test/engine/program/build.test.ts', 'dist/engine/program/build.js'],
    ['test/process/process-group.test.ts', 'node:child_process'],
    ['test/pins/pure-tests.test.ts', 'node:child_process'],
    ['test/pins/doors/doors.test.ts', 'dist/'],
  ])('[ROOMS-202] are not the ones that reach for more: %s → %s', (file, reached) => {
    expect(pure).not.toContain(file);
    expect(findImpurity(file)?.split(' → ').at(-1)).toContain(reached);
  });

  it('[ROOMS-202] do not name the built package or start anything, whatever their imports say', () => {
    const guilty = pure.filter((file) =>
      /^import (?!type)[^;]*from 'holdfast|\bspawn\(|\bfork\(/m.test(readFileSync(`${root}${file}`, 'utf8')),
    );
    expect(guilty).toEqual([]);
  });

  it('[ROOMS-203] are refused a process, even one they got at on another way', () => {
    const children = { ...childProcess };
    refuseProcesses(children);
    expect(() => children.spawn('true')).toThrow('child_process.spawn was called; expected none of it in a pure test');
    expect(() => children.fork('x.js')).toThrow('child_process.fork was called');
  });
});
