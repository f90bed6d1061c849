import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'));

it('[ROOMS-342] `npm run check` finds every door of the package in its source', () => {
  const { exports } = read('package.json') as { exports: Record<string, string | { types: string }> };
  const doors = Object.entries(exports).flatMap(([door, to]) =>
    typeof to === 'string'
      ? []
      : [[`holdfast${door.slice(1)}`, [to.types.replace('./dist', '../src').replace('.d.ts', '.ts')]]],
  );
  expect(read('test/tsconfig.source.json').compilerOptions.paths).toEqual(Object.fromEntries(doors));
});
