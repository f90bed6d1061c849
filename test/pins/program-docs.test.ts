import { readFile } from 'node:fs/promises';
import { taskErrorCodes } from 'holdfast';
import { expect, it } from 'vitest';
import { ERROR_NOTES } from '../../scripts/docs/error-notes.mjs';
import { readPages } from '../../scripts/docs/read-pages.mjs';

it('[FIRST-420] docs/cli.md and docs/errors.md say what the program says of itself', async () => {
  for (const [file, page] of await readPages()) {
    const written = await readFile(new URL(`../../docs/${file}`, import.meta.url), 'utf8');
    expect(written === page, `docs/${file} is new; otherwise run npm run api`).toBe(true);
  }
});

it('[FIRST-421] docs/errors.md says of every code what it means and what to do', () => {
  expect(Object.keys(ERROR_NOTES)).toEqual(taskErrorCodes);
  for (const { means, remedy } of Object.values(ERROR_NOTES)) expect([means, remedy].join('')).toMatch(/\.$/);
});
