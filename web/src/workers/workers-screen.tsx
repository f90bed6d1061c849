import { useEffect, useState } from 'preact/hooks';
import type { WorkerView } from '../../../src/engine/store-view.ts';
import type { Backlog } from '../../../src/store/contracts/task-contract.ts';
import { get, toMessage } from '../live/api.ts';
import { live } from '../live/live.ts';
import { useNow } from '../live/use-live.ts';
import { Empty, Pill, Problem } from '../shell/bits.tsx';
import { toDurationText, toTimeText } from '../shell/duration.ts';
import { toRoute } from '../shell/route.ts';
import { t } from '../shell/settings.ts';
import { Histogram } from './histogram.tsx';
import { UpstreamTable } from './upstream-table.tsx';

interface ShownWorker extends WorkerView {
  readonly isGone: boolean;
  readonly tasks: readonly { readonly taskId: string; readonly tool: string; readonly status: string }[];
}

interface Workers {
  readonly now: number;
  readonly workers: readonly ShownWorker[];
  readonly queues: readonly (Backlog & { readonly identity: string; readonly oldestAt?: number })[];
  readonly tools: readonly {
    readonly tool: string;
    readonly principal: string;
    readonly identity: string;
    readonly durations: readonly number[];
  }[];
}

const LOOK_MS = 2000;

/** The workers, the queue lengths, and how long tools take. Polls only while the screen is open. */
export function WorkersScreen() {
  const [seen, setSeen] = useState<Workers>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const look = () =>
      get<Workers>('workers').then(
        (next) => {
          live.learnTime(next.now);
          setSeen(next);
          setProblem('');
        },
        (error: unknown) => setProblem(toMessage(error)),
      );
    void look();
    // There are no events for heartbeats, so they are polled while the page is visible.
    const timer = setInterval(() => document.visibilityState === 'visible' && void look(), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  if (!seen) return problem ? <Problem>{problem}</Problem> : <Empty title={t('loading')} />;
  return (
    <div class="page">
      {problem && <Problem>{problem}</Problem>}
      <h2>{t('workers')}</h2>
      {seen.workers.length === 0 && <Empty title={t('noWorkers')} hint={t('noWorkersHint')} />}
      <div class="worker-grid">
        {seen.workers.map((worker) => (
          <WorkerCard key={worker.workerId} worker={worker} />
        ))}
      </div>
      <UpstreamTable />
      <Queues queues={seen.queues} />
      {seen.tools.length > 0 && <h2>{t('learned')}</h2>}
      <div class="histograms">
        {seen.tools.map(({ tool, identity, principal, durations }) => (
          <Histogram key={`${identity} ${tool} ${principal}`} tool={tool} durations={durations} />
        ))}
      </div>
    </div>
  );
}

function WorkerCard({ worker }: { worker: ShownWorker }) {
  const { workerId, kind, state, process, build, tasks, groups, isGone } = worker;
  return (
    <article class="card worker">
      <header class="card-head">
        <Pill tone={isGone ? 'bad' : state === 'ready' ? 'good' : 'queued'}>{isGone ? t('gone') : t(state)}</Pill>
        <h3>
          {t(kind === 'inline' ? 'inline' : 'ownProcess')} {process && <code>{process.pid}</code>}
        </h3>
      </header>
      <dl class="facts">
        <div>
          <dt>{t('heartbeat')}</dt>
          <dd>
            <Beat worker={worker} />
          </dd>
        </div>
        <div>
          <dt>{t('build')}</dt>
          <dd>
            <code>{build.id.slice(0, 8)}</code> {toTimeText(build.at, live.now())}
          </dd>
        </div>
        <div>
          <dt>{t('worker')}</dt>
          <dd>
            <code>{workerId}</code>
          </dd>
        </div>
      </dl>
      <p class="label">{t('runs')}</p>
      {tasks.length === 0 && <p class="hint">{t('nothing')}</p>}
      <ul class="plain">
        {tasks.map(({ taskId, tool }) => (
          <li key={taskId}>
            <a href={toRoute('tasks', taskId)}>{tool}</a> <code class="muted">{taskId.slice(0, 12)}</code>
          </li>
        ))}
        {groups.map(({ pid, taskId }) => (
          <li key={pid}>
            {t('processGroup', { pid })} <code class="muted">{taskId.slice(0, 12)}</code>
          </li>
        ))}
      </ul>
    </article>
  );
}

function Beat({ worker: { until, silence } }: { worker: ShownWorker }) {
  const now = useNow(true);
  if (silence && silence.silentMs > 0) return <>{t('silent', { time: toDurationText(silence.silentMs) })}</>;
  const left = until - now;
  return (
    <>{left >= 0 ? t('beatUntil', { time: toDurationText(left) }) : t('beatLate', { time: toDurationText(-left) })}</>
  );
}

function Queues({ queues }: { queues: Workers['queues'] }) {
  if (queues.length === 0) return null;
  return (
    <>
      <h2>{t('queues')}</h2>
      <div class="table-frame">
        <table>
          <thead>
            <tr>
              <th>{t('program')}</th>
              <th class="number">{t('waiting')}</th>
              <th class="number">{t('underWay')}</th>
              <th class="number">{t('oldest')}</th>
            </tr>
          </thead>
          <tbody>
            {queues.map(({ identity, queued, leased, oldestAt }) => (
              <tr key={identity}>
                <td>
                  <code>{identity}</code>
                </td>
                <td class="number">{queued}</td>
                <td class="number">{leased}</td>
                <td class="number">{oldestAt === undefined ? '–' : toDurationText(live.now() - oldestAt)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
