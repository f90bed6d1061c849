/**
 * Short ids that people can type.
 *
 * An id begins with its time, which ids made together share; the rest is random. A prefix of the random part distinguishes
 * ids, and is accepted wherever an id is.
 */

const TIME_LENGTH = 10;
/** The minimum length of a typed prefix. */
export const SHORTEST_REF = 4;
// A billion combinations: even among ids that are not shown, a collision is very unlikely.
const SHORTEST_SHOWN = 6;
const SHOWN_CANDIDATES = 5;

/** Whether `ref` is a prefix of an id, or of its random part. */
export function isRefOf(ref: string, id: string): boolean {
  return ref.length >= SHORTEST_REF && (id.startsWith(ref) || id.startsWith(ref, TIME_LENGTH));
}

/** The shortest prefixes that distinguish these ids from each other, by id. */
export function toShortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const all = [...new Set(ids)].sort((a, b) => (toRandom(a) < toRandom(b) ? -1 : 1));
  return new Map(all.map((id, at) => [id, toShortest(id, [all[at - 1], all[at + 1]])]));
}

/** The short form of a single id, not compared with others. */
export function toShortId(id: string): string {
  return toShortest(id, []);
}

/** Candidates for an error message: a few, each long enough to be used instead. */
export function toCandidatesText(ids: readonly string[]): string {
  const short = toShortIds(ids);
  const shown = ids.slice(0, SHOWN_CANDIDATES).map((id) => short.get(id));
  return `${shown.join(', ')}${ids.length > SHOWN_CANDIDATES ? ' and more' : ''}`;
}

function toShortest(id: string, neighbours: readonly (string | undefined)[]): string {
  const random = toRandom(id);
  const shared = neighbours.map((other) => (other === undefined ? 0 : countShared(random, toRandom(other))));
  const length = Math.max(SHORTEST_SHOWN, ...shared.map((count) => count + 1));
  // Ids made by other programs may have no random part.
  return length <= random.length ? random.slice(0, length) : id;
}

function toRandom(id: string): string {
  return id.slice(TIME_LENGTH);
}

function countShared(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
