/** What several tests use and none of them harms: a server that runs, a gateway, a connection. */
import { afterAll, beforeAll } from 'vitest';

/** Says what is to be done at the end: what was said first is done last, as with `onTestFinished`. */
export type AtEnd = (end: () => void | Promise<void>) => void;

/** Opens it before the first test of the file or `describe`, and closes it after the last. */
export function shareRig<Rig>(open: (atEnd: AtEnd) => Promise<Rig>): () => Rig {
  const ends: (() => void | Promise<void>)[] = [];
  let opened: { readonly rig: Rig } | undefined;
  beforeAll(async () => {
    opened = { rig: await open((end) => void ends.push(end)) };
  });
  afterAll(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  return () => {
    if (opened === undefined) throw new Error('it is not open yet');
    return opened.rig;
  };
}
