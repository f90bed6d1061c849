import { useState } from 'preact/hooks';
import type { TaskSummary } from '../../../src/dashboard/task-summary.ts';
import { post } from '../live/api.ts';
import { ActButton, Problem } from '../shell/bits.tsx';
import { t } from '../shell/settings.ts';
import type { TaskFilters } from './use-tasks.ts';

/** Ends all tasks that the filter finds, after a second click. Offered only where there is a filter and something to end. */
export function CancelMatching({ filters, tasks }: { filters: TaskFilters; tasks: readonly TaskSummary[] }) {
  const [isAsked, setAsked] = useState(false);
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState('');
  const isFiltered = Object.values(filters).some((value) => value.trim() !== '');
  const open = tasks.filter(({ endedAt }) => endedAt === undefined).length;
  const cancel = async () => {
    setAsked(false);
    const { cancelled } = await post<{ cancelled: number }>('cancel-matching', filters);
    setSaid(t('cancelledMany', { n: cancelled }));
  };
  if (!isFiltered) return null;
  return (
    <div class="matching">
      {open > 0 && !isAsked && (
        <button type="button" class="button button-danger" onClick={() => setAsked(true)}>
          {t('cancelMatching')}
        </button>
      )}
      {isAsked && <ActButton label={t('cancelSure')} kind="danger" act={cancel} onFailed={setProblem} />}
      {isAsked && (
        <button type="button" class="button" onClick={() => setAsked(false)}>
          {t('dismiss')}
        </button>
      )}
      <span class="muted" role="status">
        {said}
      </span>
      {problem && <Problem>{problem}</Problem>}
    </div>
  );
}
