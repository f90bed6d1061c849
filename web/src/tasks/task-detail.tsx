import { useMemo, useState } from 'preact/hooks';
import type { Task } from '../../../src/task/record.ts';
import { isTerminal } from '../../../src/task/status.ts';
import { fromTask, QuestionCard } from '../calls/question-card.tsx';
import { asObject } from '../form/schema.ts';
import { post } from '../live/api.ts';
import { live } from '../live/live.ts';
import { useNow } from '../live/use-live.ts';
import { JsonTree } from '../result/json-tree.tsx';
import { TaskOutcomeView } from '../result/outcome-view.tsx';
import { ActButton, CopyButton, Empty, Pill, Problem } from '../shell/bits.tsx';
import { toRoute } from '../shell/route.ts';
import { t } from '../shell/settings.ts';
import { WireOf } from '../wire/wire-of.tsx';
import { EventList } from './event-list.tsx';
import { QuestionLink } from './question-link.tsx';
import { RerunPanel } from './rerun-panel.tsx';
import { toTimeline } from './spans.ts';
import { toStatusText, toStatusTone } from './status-tone.ts';
import { TaskFacts } from './task-facts.tsx';
import { toInput } from './task-input.ts';
import { useTask, type WholeTask } from './use-task.ts';
import { Waterfall } from './waterfall.tsx';

/** One task: its timeline, its questions and answers, and its outcome. */
export function TaskDetail({ taskId }: { taskId: string }) {
  const { task, events, undelivered, problem } = useTask(taskId);
  const isOpen = task !== undefined && task.endedAt === undefined;
  const isMoving = isOpen || undelivered.length > 0;
  const now = useNow(isMoving);
  const timeline = useMemo(
    () => task && toTimeline(task, events, { now, undelivered }),
    [task, events, undelivered, isMoving ? now : 0],
  );
  if (!task || !timeline) return <Empty title={problem === '' ? t('loading') : t('taskGone')} />;
  return (
    <div class="detail">
      <DetailHead task={task} events={events} />
      {task.questions
        .filter(({ answer }) => answer === undefined && isOpen)
        .map((question) => (
          <QuestionCard
            key={question.key}
            question={fromTask(question)}
            answer={(given) => post(`tasks/${encodeURIComponent(taskId)}/answer`, given)}
          >
            <QuestionLink taskId={taskId} questionKey={question.key} />
          </QuestionCard>
        ))}
      <TaskFacts task={task} timeline={timeline} now={now} />
      <h3 class="label">{t('timeline')}</h3>
      <Waterfall timeline={timeline} />
      {task.outcome && (
        <>
          <h3 class="label">{t('result')}</h3>
          <div class={`outcome outcome-${toStatusTone({ status: task.status, isError: isErrorResult(task) })}`}>
            <TaskOutcomeView outcome={task.outcome} />
          </div>
        </>
      )}
      <h3 class="label">{t('arguments')}</h3>
      <JsonTree value={toInput(task)} />
      {task.labels && (
        <details class="labels">
          <summary class="label">{t('labels')}</summary>
          <JsonTree value={task.labels} />
        </details>
      )}
      <EventList events={events} now={now} />
      {live.features?.mode === 'sandbox' && <WireOf path={`tasks/${encodeURIComponent(taskId)}/wire`} news={task} />}
    </div>
  );
}

function DetailHead({ task, events }: Pick<WholeTask, 'events'> & { task: Task }) {
  const [problem, setProblem] = useState('');
  const [isRerun, setRerun] = useState(false);
  const { taskId, tool, status } = task;
  const ended = { status, isError: isErrorResult(task) };
  return (
    <header class="detail-head">
      <div class="card-head">
        <Pill tone={toStatusTone(ended)}>{t(toStatusText(ended))}</Pill>
        <h2>{tool}</h2>
        <span class="grow" />
        {!isTerminal(status) && (
          <ActButton
            label={t('cancel')}
            kind="danger"
            act={() => post(`tasks/${encodeURIComponent(taskId)}/cancel`)}
            onFailed={setProblem}
          />
        )}
        {isTerminal(status) && task.outcome?.kind !== 'expired' && (
          <button type="button" class="button" aria-expanded={isRerun} onClick={() => setRerun(!isRerun)}>
            {t('rerun')}
          </button>
        )}
        <a class="icon close" href={toRoute('tasks')}>
          {t('close')}
        </a>
      </div>
      <p class="task-id">
        <code>{taskId}</code> <CopyButton text={taskId} />
      </p>
      {problem && <Problem>{problem}</Problem>}
      {isRerun && <RerunPanel task={task} events={events} />}
    </header>
  );
}

function isErrorResult({ outcome }: Task): boolean {
  return outcome?.kind === 'result' && asObject(outcome.value).isError === true;
}
