/** Axis of a plot with round tick values, from 0 or below to the last tick. */
export interface Axis {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
}

const WANTED_TICKS = 5;

/** Creates an axis from 0 to at least `highest`, in steps of 1, 2 or 5 times a power of ten. */
export function toAxis(highest: number): Axis {
  const top = Number.isFinite(highest) && highest > 0 ? highest : 1;
  const raw = top / WANTED_TICKS;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= raw * 0.999) ?? 10);
  const count = Math.ceil(top / step - 1e-9);
  const ticks = Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
  return { from: 0, to: ticks.at(-1) ?? top, ticks };
}
