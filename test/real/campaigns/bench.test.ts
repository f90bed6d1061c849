import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const RUN = fileURLToPath(new URL('../../../bench/run.js', import.meta.url));

it('[PKG-14] a bench prints one JSON line for each of its ratios, and nothing else on stdout', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', RUN, 'watch', '--quick']);
  const lines = stdout.trimEnd().split('\n');
  const figures = lines.map((line) => JSON.parse(line) as { bench: string; ratio: number });
  expect(figures.length).toBeGreaterThan(0);
  for (const { bench, ratio } of figures) {
    expect(bench).toBe('watch');
    expect(ratio).toBeGreaterThan(0);
  }
});

it('a bench that is not there is an error that names those that are', async () => {
  const failure = await promisify(execFile)(process.execPath, [RUN, 'nonsense']).catch((error) => error);
  expect(failure.code).toBe(2);
  expect(failure.stderr).toContain('cycle');
});
