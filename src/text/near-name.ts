/** Returns the known name that a misspelt one was meant to be; `undefined` when none is close enough. */
export function findNearName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  const most = wanted.length < 4 ? 1 : wanted.length < 7 ? 2 : 3;
  const near = known
    .map((one) => ({ one, edits: isEnding(wanted, one.toLowerCase()) ? 1 : countEdits(wanted, one.toLowerCase()) }))
    .filter(({ edits }) => edits <= most)
    .sort((a, b) => a.edits - b.edits);
  return near[0]?.one;
}

/** Whether two names differ only by an ending: `ttl` and `ttlMs`, `idempotentHint` and `idempotent`. */
function isEnding(name: string, known: string): boolean {
  const [short, long] = name.length < known.length ? [name, known] : [known, name];
  return short.length >= 3 && long.length - short.length <= 4 && long.startsWith(short);
}

/** The edit distance: insertions, deletions, replacements and swaps of adjacent letters. */
function countEdits(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const edits = [at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1)];
      row.push(Math.min(...edits, isSwapped ? at(before, j - 2) + 1 : Infinity));
    }
    before = last;
    last = row;
  }
  return at(last, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
