import { useState } from 'preact/hooks';
import type { TaskSummary } from '../../../src/dashboard/task-summary.ts';
import { live } from '../live/live.ts';
import { useNow } from '../live/use-live.ts';
import { Empty, Pill, Problem } from '../shell/bits.tsx';
import { toDurationText, toTimeText } from '../shell/duration.ts';
import { go } from '../shell/route.ts';
import { t } from '../shell/settings.ts';
import { Divider, useDividedWidth } from './divider.tsx';
import { FilterBar } from './filter-bar.tsx';
import { MatchingActions } from './matching-actions.tsx';
import { toStatusText, toStatusTone } from './status-tone.ts';
import { TaskDetail } from './task-detail.tsx';
import { type TaskFilters, useTasks } from './use-tasks.ts';
import { VirtualList } from './virtual-list.tsx';

const ROW = 52;
const NONE: TaskFilters = { status: '', tool: '', principal: '', text: '' };

/** The list of the store's tasks, and the details of one. */
export function TasksScreen({ taskId }: { taskId: string | undefined }) {
  const [filters, setFilters] = useState(NONE);
  const found = useTasks(filters);
  const [width, setWidth] = useDividedWidth();
  const isMoving = found.tasks.some(({ endedAt }) => endedAt === undefined);
  const now = useNow(isMoving);
  const chosen = found.tasks.findIndex((task) => task.taskId === taskId);
  return (
    <div class={`tasks ${taskId === undefined ? '' : 'tasks-open'}`}>
      <section class="tasks-list" aria-label={t('tasks')}>
        <FilterBar filters={filters} tasks={found.tasks} onChange={setFilters} />
        <MatchingActions filters={filters} tasks={found.tasks} />
        {found.problem && <Problem>{found.problem}</Problem>}
        {found.tasks.length === 0 && !found.isLoading && <Empty title={t('noTasks')} hint={t('noTasksHint')} />}
        {found.tasks.length > 0 && (
          <VirtualList
            items={found.tasks}
            rowHeight={ROW}
            label={t('tasks')}
            chosen={chosen}
            toKey={(task) => task.taskId}
            render={(task) => <TaskRow task={task} now={now} />}
            onChoose={(task) => go('tasks', task.taskId)}
            onEnd={found.loadMore}
          />
        )}
        {found.isLoading && <p class="hint">{t('loading')}</p>}
      </section>
      <Divider width={width} onChange={setWidth} />
      <section class="tasks-detail" style={{ '--detail': `${width}px` }} aria-label={t('task')}>
        {taskId === undefined ? <Empty title={t('selectTask')} /> : <TaskDetail key={taskId} taskId={taskId} />}
      </section>
    </div>
  );
}

function TaskRow({ task, now }: { task: TaskSummary; now: number }) {
  const ms = (task.endedAt ?? now) - task.createdAt;
  const share = task.endedAt === undefined ? task.progress?.value : undefined;
  return (
    <div class="task-row">
      <Pill tone={toStatusTone(task)}>{t(toStatusText(task))}</Pill>
      <span class="task-row-text">
        <span class="task-row-name">
          {task.tool}
          {task.attempt > 1 && <span class="badge">{t('attemptOf', { n: task.attempt })}</span>}
        </span>
        <span class="muted ellipsis">{task.argsText}</span>
      </span>
      <span class="task-row-time">
        <span>{toDurationText(ms)}</span>
        <span class="muted">{toTimeText(task.createdAt, live.now())}</span>
      </span>
      {share !== undefined && share <= 1 && <span class="task-row-bar" style={{ width: `${share * 100}%` }} />}
    </div>
  );
}
