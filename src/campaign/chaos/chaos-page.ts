/** Renders a report for people: Markdown, with a plot of the recoveries beside it. */
import { toLinePlot } from '../report/line-plot.ts';
import { toMarkdownCode, toMarkdownPage, toMarkdownTable, toMarkdownText } from '../report/markdown.ts';
import type { ChaosReport } from './chaos-report.ts';
import { VERDICTS } from './evidence.ts';
import { toFaultText } from './fault.ts';

export const PLOT_FILE = 'recoveries.svg';
const MAX_SHOWN = 50;

export function toChaosPage(report: ChaosReport): string {
  const { seeds, rounds, ms, kills, calls, tasks, recovery } = report;
  return toMarkdownPage([
    `# Chaos: ${report.passed ? 'passed' : 'FAILED'}`,
    `Seeds ${seeds.from} to ${seeds.to}, ${rounds} rounds in ${Math.round(ms / 1000)} s: ${kills} kills, ${calls} calls, ${tasks} tasks.`,
    '## Verdicts',
    toMarkdownTable(
      ['verdict', 'found'],
      VERDICTS.map((verdict) => [verdict, String(report.verdicts[verdict])]),
    ),
    ...report.notJudged.map((line) => `Not judged: ${toMarkdownText(line)}.`),
    '## Faults',
    toCounts('fault', report.faults),
    ...report.leftOut.map((line) => `Left out: ${toMarkdownText(line)}.`),
    '## Outcomes',
    toCounts('outcome', report.outcomes),
    '## Recovery after kill -9',
    `${recovery.count} times work was cut off: ${recovery.p50Ms} ms at the median, ${recovery.p95Ms} ms for 95 of 100, ${recovery.maxMs} ms at most.`,
    recovery.count === 0 ? '' : `![Recoveries](${PLOT_FILE})`,
    ...toFindings(report),
  ]);
}

export function toRecoveryPlot({ recoveries }: ChaosReport): string {
  const series = [{ name: 'until work that was cut off went on', points: recoveries, draw: 'dots' as const }];
  return toLinePlot({ title: 'Recovery after kill -9', unit: 'ms', series });
}

function toFindings({ violations, shrunk }: ChaosReport): string[] {
  if (violations.length === 0) return [];
  const lines = violations
    .slice(0, MAX_SHOWN)
    .map(
      ({ seed, verdict, callId, says }) => `- seed ${seed}, **${verdict}** ${callId ?? ''}: ${toMarkdownText(says)}`,
    );
  const rest = violations.length - lines.length;
  const plans = shrunk.map(({ seed, verdicts, list, tries, isShortest, file }) =>
    [
      `Seed ${seed} (${verdicts.join(', ')}), ${isShortest ? 'the shortest plan' : 'as short as it got'} after ${tries} tries, in ${toMarkdownCode(file)}:`,
      ...list.map((fault) => `- ${toFaultText(fault)}`),
    ].join('\n'),
  );
  return [
    '## What was found',
    [...lines, ...(rest > 0 ? [`- and ${rest} more, in the JSON`] : [])].join('\n'),
    ...(plans.length === 0 ? [] : ['## The shortest plans', ...plans]),
  ];
}

function toCounts(head: string, counts: Readonly<Record<string, number>>): string {
  const rows = Object.entries(counts).map(([name, count]) => [toMarkdownText(name), String(count)]);
  return rows.length === 0 ? 'None.' : toMarkdownTable([head, 'times'], rows);
}
