import { useNow } from '../live/use-live.ts';
import { toDurationText } from '../shell/duration.ts';
import { t } from '../shell/settings.ts';

/** The time until a task expires; a component of its own, so that nothing else is re-rendered each second. */
export function Countdown({ until }: { until: number }) {
  const left = until - useNow(true);
  return <span class="countdown">{left > 0 ? toDurationText(left) : t('timeUp')}</span>;
}
