import { toMedian } from '../../../src/task/estimate.ts';
import { toDurationText } from '../shell/duration.ts';
import { t } from '../shell/settings.ts';

const BARS = 10;

/** How long the last runs of a tool took. */
export function Histogram({ tool, durations }: { tool: string; durations: readonly number[] }) {
  const counts = toCounts(durations);
  const most = Math.max(...counts);
  const longest = Math.max(...durations);
  const text = t('median', { time: toDurationText(toMedian(durations) ?? 0), n: durations.length });
  return (
    <figure class="card histogram" aria-label={`${tool}: ${text}`}>
      <figcaption>
        <strong>{tool}</strong>
        <span class="muted">{text}</span>
      </figcaption>
      <div class="histogram-bars" aria-hidden="true">
        {counts.map((count, at) => (
          <span
            key={at}
            style={{ height: `${count === 0 ? 2 : 8 + (count / most) * 92}%` }}
            class={count === 0 ? 'none' : ''}
          />
        ))}
      </div>
      <div class="histogram-axis" aria-hidden="true">
        <span>0</span>
        <span>{toDurationText(longest)}</span>
      </div>
    </figure>
  );
}

function toCounts(durations: readonly number[]): number[] {
  const longest = Math.max(1, ...durations);
  const counts = Array.from({ length: BARS }, () => 0);
  for (const ms of durations) {
    const at = Math.min(BARS - 1, Math.floor((ms / longest) * BARS));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}
