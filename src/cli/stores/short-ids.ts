/**
 * Ids short enough to be typed.
 *
 * An id begins with its time, which ids made together share; what follows is random. The first characters of that part
 * tell one from the others, and are taken wherever an id is.
 */

const TIME_LENGTH = 10;
/** What is typed must be as long as this. */
export const SHORTEST_REF = 4;
// A billion values: also among the ids that are not shown, hardly ever is there a second one.
const SHORTEST_SHOWN = 6;
const SHOWN_CANDIDATES = 5;

/** Whether `ref` is the beginning of an id, or of its random part. */
export function isRefOf(ref: string, id: string): boolean {
  return ref.length >= SHORTEST_REF && (id.startsWith(ref) || id.startsWith(ref, TIME_LENGTH));
}

/** The shortest beginnings that tell these ids from each other, by id. */
export function toShortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const all = [...new Set(ids)].sort((a, b) => (toRandom(a) < toRandom(b) ? -1 : 1));
  return new Map(all.map((id, at) => [id, toShortest(id, [all[at - 1], all[at + 1]])]));
}

/** The same for one that stands alone. */
export function toShortId(id: string): string {
  return toShortest(id, []);
}

/** Candidates for a message: a few of them, each long enough to be given instead. */
export function toCandidatesText(ids: readonly string[]): string {
  const short = toShortIds(ids);
  const shown = ids.slice(0, SHOWN_CANDIDATES).map((id) => short.get(id));
  return `${shown.join(', ')}${ids.length > SHOWN_CANDIDATES ? ' and more' : ''}`;
}

function toShortest(id: string, neighbours: readonly (string | undefined)[]): string {
  const random = toRandom(id);
  const shared = neighbours.map((other) => (other === undefined ? 0 : countShared(random, toRandom(other))));
  const length = Math.max(SHORTEST_SHOWN, ...shared.map((count) => count + 1));
  // Ids that somebody else made need not have such a part.
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
