/**
 * Long tables of cases that start several processes each, or that a lighter test tries too.
 *
 * `npm test` runs every n-th of them, so that each kind of case is tried every time; `npm run test:real` runs the files that
 * import this once more, with all of them.
 */
export function share<T>(cases: readonly T[], { every }: { readonly every: number }): readonly T[] {
  return process.env.HOLDFAST_TEST_WHOLE === '1' ? cases : cases.filter((_, index) => index % every === 0);
}
