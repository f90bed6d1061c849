import { describe, expect, it } from 'vitest';
import { toAxis } from '../../../src/campaign/report/axis.ts';
import { type LinePlot, toLinePlot } from '../../../src/campaign/report/line-plot.ts';
import { toMarkdownCode, toMarkdownTable, toMarkdownText } from '../../../src/campaign/report/markdown.ts';
import { thin } from '../../../src/campaign/report/thin.ts';

const PLOT: LinePlot = {
  title: 'Latency',
  unit: 'ms',
  untilS: 100,
  series: [
    { name: 'calls', points: [0, 50, 100].map((at) => ({ at, value: at })) },
    { name: 'slow', draw: 'dots', points: [{ at: 50, value: 40 }] },
  ],
  marks: [
    { at: 50, label: 'server killed', kind: 'fault' },
    { at: 51, label: 'answers again', kind: 'recovery' },
  ],
};

describe('a plot', () => {
  it('[BAD-502] puts series and marks on one time axis', () => {
    const svg = toLinePlot(PLOT);
    expect(svg).toContain('points="64,220 384,132 704,44"');
    expect(svg).toContain('<line class="s-fault" x1="384" x2="384"');
    expect(svg).toContain('<title>answers again, 51 s</title>');
    expect(svg).toContain('cx="384"');
    for (const name of ['calls', 'slow', 'fault', 'recovery']) expect(svg).toContain(`>${name}</text>`);
    expect(svg).toContain('prefers-color-scheme: dark');
  });

  it('[BAD-502] of nothing is a plot', () => {
    expect(toLinePlot({ title: 'Nothing', unit: 'ms', series: [] })).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('[BAD-502] with a hundred thousand points keeps its peaks and stays small', () => {
    const points = Array.from({ length: 100_000 }, (_, at) => ({ at, value: at === 12_345 ? 999 : at % 7 }));
    const kept = thin(points, 1500);
    expect(kept.length).toBeLessThanOrEqual(1500);
    expect(kept).toContain(points[12_345]);
    const svg = toLinePlot({ ...PLOT, untilS: 100_000, series: [{ name: 'calls', points }] });
    expect(svg.length).toBeLessThan(60_000);
  });

  it('[BAD-502] has round numbers on its axes', () => {
    expect(toAxis(97).ticks).toEqual([0, 20, 40, 60, 80, 100]);
    expect(toAxis(0.3).ticks).toEqual([0, 0.1, 0.2, 0.3]);
    expect(toAxis(0).ticks.at(-1)).toBe(1);
    expect(toAxis(Number.NaN).to).toBe(1);
  });
});

describe('names that others chose', () => {
  it('[BAD-503] stay text in SVG', () => {
    const name = '</text><script>alert("1")</script>';
    const svg = toLinePlot({ title: name, unit: name, series: [{ name, points: [] }] });
    expect(svg).not.toContain('<script');
  });

  it('[BAD-503] stay text in Markdown', () => {
    expect(toMarkdownText('a|b\n# <img> [x](y)')).toBe('a\\|b\\\\n\\# \\<img\\> \\[x\\](y)');
    expect(toMarkdownCode('a`b|c')).toBe('`` a`b\\|c ``');
    expect(toMarkdownTable(['a'], [[toMarkdownText('|')]])).toBe('| a |\n| --- |\n| \\| |');
  });
});
