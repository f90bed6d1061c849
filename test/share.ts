/**
 * Runs a part of a long table of cases, each of which starts several processes or is also covered by a lighter test.
 *
 * `npm test` runs every n-th case, so that each kind of case is covered every time; `npm run test:real` runs the files that
 * import this again, with all cases.
 */
export function share<T>(cases: readonly T[], { every }: { readonly every: number }): readonly T[] {
  return process.env.HOLDFAST_TEST_WHOLE === '1' ? cases : cases.filter((_, index) => index % every === 0);
}
