import { type LinePlot, type Series, toLinePlot } from '../report/line-plot.ts';
import type { Point } from '../report/thin.ts';
import { writeReport } from '../report/write-report.ts';
import type { Sample, Timeline } from './timeline.ts';

/** One run on the time axis of a report. */
export interface PlottedRun {
  readonly name: string;
  /** Its start on that axis, in seconds. */
  readonly offsetS: number;
  readonly timeline: Timeline;
}

/** A plot and its file name. */
export interface Plot {
  readonly title: string;
  readonly file: string;
}

const MIB = 1024 * 1024;

/** Writes the plots of some runs beside a report, all on one time axis, and returns them; skips plots without measurements. */
export async function writePlots(
  runs: readonly PlottedRun[],
  place: { directory: string; base: string },
): Promise<Plot[]> {
  const plots = toPlots(runs).filter(({ plot }) => plot.series.some(({ points }) => points.length > 0));
  const files = plots.map(({ name, plot }) => ({ title: plot.title, file: `${place.base}_${name}.svg`, plot }));
  await Promise.all(files.map(({ file, plot }) => writeReport(`${place.directory}/${file}`, toLinePlot(plot))));
  return files.map(({ title, file }) => ({ title, file }));
}

function toPlots(runs: readonly PlottedRun[]): { readonly name: string; readonly plot: LinePlot }[] {
  const marks = runs.flatMap(({ offsetS, timeline }) =>
    timeline.marks().map((mark) => ({ ...mark, at: mark.at + offsetS })),
  );
  const untilS = runs.reduce((most, { offsetS, timeline }) => Math.max(most, offsetS + lastAt(timeline)), 0);
  const held = (field: keyof Sample, scale: number): Point[] =>
    runs.flatMap(({ offsetS, timeline }) => toPoints(timeline.samples, { field, scale, offsetS }));
  const plot = (title: string, unit: string, series: readonly Series[]): LinePlot => ({
    title,
    unit,
    series: series.filter(({ points }) => points.length > 0),
    marks,
    untilS,
  });
  const pair = (field: 'rss_bytes' | 'descriptors', scale: number): Series[] => [
    { name: 'server', points: held(`server_${field}`, scale) },
    { name: 'worker', points: held(`worker_${field}`, scale) },
  ];
  return [
    { name: 'latency', plot: plot('Latency of measured calls', 'ms', toLatencies(runs)) },
    { name: 'memory', plot: plot('Memory', 'MiB resident', pair('rss_bytes', MIB)) },
    { name: 'descriptors', plot: plot('File descriptors', 'open', pair('descriptors', 1)) },
    {
      name: 'database',
      plot: plot('Database', 'MiB with its log', [{ name: 'size', points: held('database_bytes', MIB) }]),
    },
  ];
}

/** One series for all runs of the same name. */
function toLatencies(runs: readonly PlottedRun[]): Series[] {
  return [...new Set(runs.map(({ name }) => name))].map((name) => ({
    name,
    draw: 'dots',
    points: runs
      .filter((run) => run.name === name)
      .flatMap(({ offsetS, timeline }) => timeline.latencies.map(({ at, value }) => ({ at: at + offsetS, value }))),
  }));
}

interface Reading {
  readonly field: keyof Sample;
  readonly scale: number;
  readonly offsetS: number;
}

function toPoints(samples: readonly Sample[], { field, scale, offsetS }: Reading): Point[] {
  return samples.flatMap((sample) => {
    const value = sample[field];
    return value === undefined ? [] : [{ at: sample.at + offsetS, value: value / scale }];
  });
}

function lastAt({ latencies, samples }: Timeline): number {
  return Math.max(latencies.at(-1)?.at ?? 0, samples.at(-1)?.at ?? 0);
}
