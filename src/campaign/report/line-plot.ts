/**
 * Line plots as SVG, made by hand.
 *
 * Several series over seconds, with marks for what was done to the server, on one time axis. A plot brings its own
 * colours for light and for dark pages, so it can be read wherever the report is shown.
 */
import { type Axis, toAxis } from './axis.ts';
import { round } from './percentile.ts';
import { type Point, thin } from './thin.ts';

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  /** Dots for single values that are not joined. @default 'line' */
  readonly draw?: 'line' | 'dots';
}

/** Something that happened at a time: a vertical line in every plot. */
export interface Mark {
  readonly at: number;
  readonly label: string;
  /** A fault was done to the server; a recovery is when it worked again. */
  readonly kind: 'fault' | 'recovery';
}

export interface LinePlot {
  readonly title: string;
  /** What the values are counted in, such as "ms". */
  readonly unit: string;
  readonly series: readonly Series[];
  readonly marks?: readonly Mark[];
  /** The end of the time axis; give all plots of a report the same. @default the last point or mark */
  readonly untilS?: number;
}

const WIDTH = 720;
const HEIGHT = 260;
const BOX = { left: 64, right: WIDTH - 16, top: 44, bottom: HEIGHT - 40 };
/** A few per pixel column show the same as all. */
const MAX_POINTS = 1500;
/** Colours repeat after these. */
const COLOURS = 4;

/** Colours as classes: `s…` for lines and `f…` for what is filled. */
const STYLE = `
  .page{fill:#fff}.ink{fill:#1f2328}.dim{fill:#59636e}.grid{stroke:#d1d9e0}.axis{stroke:#59636e}
${toColours(['#0969da', '#bc4c00', '#8250df', '#1b7c83'], { fault: '#cf222e', recovery: '#1a7f37' })}
  @media (prefers-color-scheme: dark){
  .page{fill:#0d1117}.ink{fill:#e6edf3}.dim{fill:#9198a1}.grid{stroke:#30363d}.axis{stroke:#9198a1}
${toColours(['#4493f8', '#f0883e', '#ab7df8', '#39c5cf'], { fault: '#f85149', recovery: '#3fb950' })}}
  text{font:12px system-ui,sans-serif}.head{font-weight:600}`;

/** One plot as a whole SVG document. */
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

// Two at a time: a long run has more points than a call may have arguments.
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
      // A little over 6 px a letter in this type.
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
