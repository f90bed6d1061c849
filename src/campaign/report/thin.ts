/** One value of a series, at a second since the start. */
export interface Point {
  readonly at: number;
  readonly value: number;
}

/**
 * Reduces the number of points with the same look: keeps the first, the lowest and the highest of each interval, so that no peak
 * is lost.
 */
export function thin(points: readonly Point[], max: number): readonly Point[] {
  if (points.length <= max) return points;
  const size = Math.ceil((points.length * 3) / max);
  const kept: Point[] = [];
  for (let from = 0; from < points.length; from += size) {
    const stretch = points.slice(from, from + size);
    const inOrder = [...stretch].sort((a, b) => a.value - b.value);
    kept.push(...stretch.filter((point) => [stretch[0], inOrder[0], inOrder.at(-1)].includes(point)));
  }
  return kept;
}
