import { useMemo, useState } from 'preact/hooks';
import type { Task } from '../../../src/task/record.ts';
import { isTerminal } from '../../../src/task/status.ts';
import { leaveDraft } from '../calls/draft.ts';
import { fromTask, QuestionCard } from '../calls/question-card.tsx';
import { asObject, type Json, type JsonObject } from '../form/schema.ts';
import { post } from '../live/api.ts';
import { live } from '../live/live.ts';
import { useNow } from '../live/use-live.ts';
import { JsonTree } from '../result/json-tree.tsx';
import { TaskOutcomeView } from '../result/outcome-view.tsx';
import { ActButton, CopyButton, Empty, Pill, Problem } from '../shell/bits.tsx';
import { go, toRoute } from '../shell/route.ts';
import { t } from '../shell/settings.ts';
import { WireOf } from '../wire/wire-of.tsx';
import { EventList } from './event-list.tsx';
import { toTimeline } from './spans.ts';
import { toStatusTone } from './status-tone.ts';
import { TaskFacts } from './task-facts.tsx';
import { useTask } from './use-task.ts';
import { Waterfall } from './waterfall.tsx';

/** One task: how it went, what it was asked and asks, how it ended. */
export function TaskDetail({ taskId }: { taskId: string }) {
  const { task, events, problem } = useTask(taskId);
  const isOpen = task !== undefined && task.endedAt === undefined;
  const now = useNow(isOpen);
  const timeline = useMemo(() => task && toTimeline(task, events, now), [task, events, isOpen ? now : 0]);
  if (!task || !timeline) return <Empty title={problem === '' ? t('loading') : t('taskGone')} />;
  return (
    <div class="detail">
      <DetailHead task={task} />
      {task.questions
        .filter(({ answer }) => answer === undefined && isOpen)
        .map((question) => (
          <QuestionCard
            key={question.key}
            question={fromTask(question)}
            answer={(given) => post(`tasks/${encodeURIComponent(taskId)}/answer`, given)}
          />
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

function DetailHead({ task }: { task: Task }) {
  const [problem, setProblem] = useState('');
  const { taskId, tool, status } = task;
  const server = live.servers.find(({ isGateway }) => isGateway);
  const rerun = () => {
    leaveDraft({ server: server?.name ?? '', tool, args: asObject(toInput(task)) });
    go('calls');
  };
  return (
    <header class="detail-head">
      <div class="card-head">
        <Pill tone={toStatusTone({ status, isError: isErrorResult(task) })}>{t(status)}</Pill>
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
        {server?.tools.some(({ name }) => name === tool) && (
          <button type="button" class="button" onClick={rerun}>
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
    </header>
  );
}

function isErrorResult({ outcome }: Task): boolean {
  return outcome?.kind === 'result' && asObject(outcome.value).isError === true;
}

/** What the caller gave: tasks of a server keep it beside what was asked before they began. */
function toInput({ args }: Task): Json {
  const whole = asObject(args);
  const isOfServer = 'input' in whole && 'upfront' in whole;
  return isOfServer ? ((whole as JsonObject).input ?? null) : (args as Json);
}
