/** Every fenced block of the README is run; `type-page.ts` says what that means. */
import { expect, it } from 'vitest';
import { openDesk } from './open-desk.ts';
import { untilQuiet } from './reports-store.ts';
import { typePage } from './type-page.ts';

const TYPED_MS = 240_000;

it('[FIRST-500] [FIRST-501] whoever types the README has a durable tool, kills everything, and gets the result', {
  timeout: TYPED_MS,
}, async () => {
  await using desk = await openDesk();
  expect(await typePage('README.md', desk)).toEqual(['sh', 'js', 'text', 'sh', 'text', 'sh', 'text', 'sh']);
  await untilQuiet(desk);
});
