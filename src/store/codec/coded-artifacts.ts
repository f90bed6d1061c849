import { buildMaybeAsync, chain, type MaybePromise } from '../../codec/chain.ts';
import type { Sealer } from '../../codec/sealer.ts';
import type { Artifacts } from '../contracts/artifact-contract.ts';
import { toPayloadPlace } from './coded-tasks.ts';
import { mapPiece } from './parts.ts';

/** Artifacts whose pieces are sealed one by one, so that a range can be opened without the rest. */
export function createCodedArtifacts(inner: Artifacts, sealer: Sealer): Artifacts {
  return {
    async put(lease, { text, ...place }) {
      const sealed = buildMaybeAsync((part) =>
        mapPiece(place, text, (value, field) =>
          part(() => sealer.seal(value, toPayloadPlace(lease.taskId, field)) as MaybePromise<typeof value>),
        ),
      );
      return chain(sealed, (kept) => inner.put(lease, { ...place, text: kept }));
    },
    async read(taskId, place) {
      const text = await inner.read(taskId, place);
      if (text === undefined) return undefined;
      return buildMaybeAsync((part) =>
        mapPiece(place, text, (value, field) =>
          part(() => sealer.open(value, toPayloadPlace(taskId, field)) as MaybePromise<typeof value>),
        ),
      );
    },
  };
}
