/** Fixtures that several tests share without changing them: a running server, a gateway, a connection. */
import { afterAll, beforeAll } from 'vitest';

/** Registers a clean-up function: the last one registered runs first, as with `onTestFinished`. */
export type AtEnd = (end: () => void | Promise<void>) => void;

/** Opens the fixture before the first test of the file or `describe`, and closes it after the last. */
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
