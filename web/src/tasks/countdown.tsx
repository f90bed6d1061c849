import { useNow } from '../live/use-live.ts';
import { toDurationText } from '../shell/duration.ts';
import { t } from '../shell/settings.ts';

/** How long a task can still be read; by itself, so that nothing else is drawn anew each second. */
export function Countdown({ until }: { until: number }) {
  const left = until - useNow(true);
  return <span class="countdown">{left > 0 ? toDurationText(left) : t('timeUp')}</span>;
}
