/**
 * Line plots as SVG, without a library.
 *
 * Several series over seconds, with marks for faults and recoveries, on one time axis. A plot contains its own colours for light
 * and dark pages, so it is readable wherever the report is shown.
 */
import { type Axis, toAxis } from './axis.ts';
import { round } from './percentile.ts';
import { type Point, thin } from './thin.ts';

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  /** `dots` for values that are not connected. @default 'line' */
  readonly draw?: 'line' | 'dots';
}

/** An event at a time, drawn as a vertical line in every plot. */
export interface Mark {
  readonly at: number;
  readonly label: string;
  /** `fault`: something was done to the server; `recovery`: it worked again. */
  readonly kind: 'fault' | 'recovery';
}

export interface LinePlot {
  readonly title: string;
  /** Unit of the values, such as "ms". */
  readonly unit: string;
  readonly series: readonly Series[];
  readonly marks?: readonly Mark[];
  /** The end of the time axis; use the same for all plots of a report. @default the last point or mark */
  readonly untilS?: number;
}

const WIDTH = 720;
const HEIGHT = 260;
const BOX = { left: 64, right: WIDTH - 16, top: 44, bottom: HEIGHT - 40 };
/** A few points per pixel column look the same as all points. */
const MAX_POINTS = 1500;
/** Number of colours; they repeat after these. */
const COLOURS = 4;

/** Colours as CSS classes: `s…` for strokes and `f…` for fills. */
const STYLE = `
  .page{fill:#fff}.ink{fill:#1f2328}.dim{fill:#59636e}.grid{stroke:#d1d9e0}.axis{stroke:#59636e}
${toColours(['#0969da', '#bc4c00', '#8250df', '#1b7c83'], { fault: '#cf222e', recovery: '#1a7f37' })}
  @media (prefers-color-scheme: dark){
  .page{fill:#0d1117}.ink{fill:#e6edf3}.dim{fill:#9198a1}.grid{stroke:#30363d}.axis{stroke:#9198a1}
${toColours(['#4493f8', '#f0883e', '#ab7df8', '#39c5cf'], { fault: '#f85149', recovery: '#3fb950' })}}
  text{font:12px system-ui,sans-serif}.head{font-weight:600}`;

/** Renders one plot as a complete SVG document. */
export function toLinePlot(plot: LinePlot): string {
  const { title, unit, series, marks = [] } = plot;
  const scale = toScale(plot);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">`,
    `<title>${toXmlText(title)}</title><style>${STYLE}\n</style>`,
    `<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>`,
    `<text class="ink head" x="8" y="18">${toXmlText(`${title} (${unit})`)}</text>`,
    ...drawAxes(scale),
    ...marks.map((mark) => drawMark(mark, scale)),
    ...series.map((one, at) => drawSeries(one, at, scale)),
    drawLegend(series, marks),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

interface Scale {
  readonly time: Axis;
  readonly values: Axis;
  x(at: number): number;
  y(value: number): number;
}

function toScale({ series, marks = [], untilS }: LinePlot): Scale {
  const points = series.flatMap((one) => one.points);
  const time = toAxis(untilS ?? highest([...points, ...marks].map(({ at }) => at)));
  const values = toAxis(highest(points.map(({ value }) => value)));
  return {
    time,
    values,
    x: (at) => round(BOX.left + ((BOX.right - BOX.left) * at) / time.to),
    y: (value) => round(BOX.bottom - ((BOX.bottom - BOX.top) * value) / values.to),
  };
}

// Not `Math.max(...)`: a long run has more points than a function call may have arguments.
function highest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

function drawAxes({ time, values, x, y }: Scale): string[] {
  return [
    ...values.ticks.flatMap((tick) => [
      `<line class="grid" x1="${BOX.left}" x2="${BOX.right}" y1="${y(tick)}" y2="${y(tick)}"/>`,
      `<text class="dim" x="${BOX.left - 6}" y="${y(tick) + 4}" text-anchor="end">${tick}</text>`,
    ]),
    ...time.ticks.map(
      (tick) => `<text class="dim" x="${x(tick)}" y="${BOX.bottom + 16}" text-anchor="middle">${tick}</text>`,
    ),
    `<line class="axis" x1="${BOX.left}" x2="${BOX.right}" y1="${BOX.bottom}" y2="${BOX.bottom}"/>`,
    `<text class="dim" x="${BOX.right}" y="${HEIGHT - 8}" text-anchor="end">seconds since the start</text>`,
  ];
}

function drawMark({ at, label, kind }: Mark, { x }: Scale): string {
  const dash = kind === 'fault' ? '' : ' stroke-dasharray="3 3"';
  return `<line class="s-${kind}" x1="${x(at)}" x2="${x(at)}" y1="${BOX.top}" y2="${BOX.bottom}"${dash}><title>${toXmlText(`${label}, ${round(at)} s`)}</title></line>`;
}

function drawSeries({ points, draw = 'line' }: Series, at: number, { x, y }: Scale): string {
  const shown = thin(points, MAX_POINTS);
  const colour = at % COLOURS;
  if (draw === 'dots' || shown.length === 1)
    return shown.map((p) => `<circle class="f-${colour}" cx="${x(p.at)}" cy="${y(p.value)}" r="1.5"/>`).join('');
  return `<polyline class="s-${colour}" fill="none" stroke-width="1.5" points="${shown.map((p) => `${x(p.at)},${y(p.value)}`).join(' ')}"/>`;
}

function drawLegend(series: readonly Series[], marks: readonly Mark[]): string {
  const kinds = [...new Set(marks.map(({ kind }) => kind))];
  const names = [
    ...series.map(({ name }, at) => [name, at % COLOURS] as const),
    ...kinds.map((kind) => [kind, kind] as const),
  ];
  let x = BOX.left;
  return names
    .map(([name, colour]) => {
      const entry = `<rect class="f-${colour}" x="${round(x)}" y="27" width="10" height="10"/><text class="ink" x="${round(x + 14)}" y="36">${toXmlText(name)}</text>`;
      // Slightly more than the average letter width of this font, 6 px.
      x += 26 + name.length * 6.3;
      return entry;
    })
    .join('');
}

function toColours(series: readonly string[], marks: Readonly<Record<Mark['kind'], string>>): string {
  return Object.entries({ ...series, ...marks })
    .map(([name, colour]) => `  .s-${name}{stroke:${colour}}.f-${name}{fill:${colour}}`)
    .join('\n');
}

function toXmlText(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
