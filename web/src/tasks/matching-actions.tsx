import { useState } from 'preact/hooks';
import type { RerunMany } from '../../../src/dashboard/routes/rerun-matching.ts';
import type { TaskSummary } from '../../../src/dashboard/task-summary.ts';
import { post } from '../live/api.ts';
import { ActButton, Problem } from '../shell/bits.tsx';
import { t } from '../shell/settings.ts';
import type { TextKey } from '../texts/en.ts';
import type { TaskFilters } from './use-tasks.ts';

type Verb = 'cancel' | 'rerun';

const WORDS: Readonly<
  Record<Verb, { readonly wish: TextKey; readonly sure: TextKey; readonly kind: 'danger' | 'plain' }>
> = {
  cancel: { wish: 'cancelMatching', sure: 'cancelSure', kind: 'danger' },
  rerun: { wish: 'rerunMatching', sure: 'rerunSure', kind: 'plain' },
};

/** Cancels or reruns all tasks that match the filter, after a confirming click. Offered only if a filter is set. */
export function MatchingActions({ filters, tasks }: { filters: TaskFilters; tasks: readonly TaskSummary[] }) {
  const [asked, setAsked] = useState<Verb>();
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState('');
  const isFiltered = Object.values(filters).some((value) => value.trim() !== '');
  const ended = tasks.filter(({ endedAt }) => endedAt !== undefined).length;
  const offered: readonly Verb[] = [
    ...(ended < tasks.length ? (['cancel'] as const) : []),
    ...(ended > 0 ? (['rerun'] as const) : []),
  ];
  const act = async (verb: Verb) => {
    setAsked(undefined);
    setProblem('');
    setSaid(await ACTS[verb](filters));
  };
  if (!isFiltered) return null;
  return (
    <div class="matching">
      {asked === undefined &&
        offered.map((verb) => (
          <button key={verb} type="button" class={`button button-${WORDS[verb].kind}`} onClick={() => setAsked(verb)}>
            {t(WORDS[verb].wish)}
          </button>
        ))}
      {asked && (
        <>
          <ActButton label={t(WORDS[asked].sure)} kind="danger" act={() => act(asked)} onFailed={setProblem} />
          <button type="button" class="button" onClick={() => setAsked(undefined)}>
            {t('dismiss')}
          </button>
        </>
      )}
      <span class="muted" role="status">
        {said}
      </span>
      {problem && <Problem>{problem}</Problem>}
    </div>
  );
}

/** Performs each action, and returns a text about its result. */
const ACTS: Readonly<Record<Verb, (filters: TaskFilters) => Promise<string>>> = {
  async cancel(filters) {
    const { cancelled, hasMore } = await post<{ cancelled: number; hasMore: boolean }>('cancel-matching', filters);
    return `${t('cancelledMany', { n: cancelled })}${hasMore ? ` ${t('matchingMore')}` : ''}`;
  },
  async rerun(filters) {
    const { rerun, refused, why = '', hasMore } = await post<RerunMany>('rerun-matching', filters);
    const left = refused > 0 ? ` ${t('rerunRefused', { n: refused, why })}` : '';
    return `${t('rerunMany', { n: rerun })}${left}${hasMore ? ` ${t('matchingMore')}` : ''}`;
  },
};
