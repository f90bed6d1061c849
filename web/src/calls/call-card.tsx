import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { CallView } from '../../../src/sandbox/calls/call-view.ts';
import type { JsonObject } from '../form/schema.ts';
import { get, post } from '../live/api.ts';
import { live } from '../live/live.ts';
import { useNow } from '../live/use-live.ts';
import { CallOutcomeView } from '../result/outcome-view.tsx';
import { ActButton, Pill, Problem, ProgressBar } from '../shell/bits.tsx';
import { toDurationText, toTimeText } from '../shell/duration.ts';
import { go, toRoute } from '../shell/route.ts';
import { t } from '../shell/settings.ts';
import { WireOf } from '../wire/wire-of.tsx';
import { type CallState, toCallState } from './call-state.ts';
import { CopyAs } from './copy-as.tsx';
import { storeDraft } from './draft.ts';
import { fromServer, type QuestionAnswer, QuestionCard } from './question-card.tsx';

export interface CallCardProps {
  readonly call: CallView;
  onAgain?(call: CallView): void;
  /** Sends the answer to a question. @default sends it to the server of this page */
  answer?(given: QuestionAnswer): Promise<unknown>;
  /** The actions shown at the end of the card. @default what the page can do with a call */
  readonly actions?: ComponentChildren;
}

/** A call, from its start to its result. */
export function CallCard({ call, onAgain, answer, actions }: CallCardProps) {
  const isPending = call.state === 'pending';
  const now = useNow(isPending);
  const task = call.taskId === undefined ? undefined : live.tasks.get(call.taskId);
  const state = toCallState(call, task, now);
  const [problem, setProblem] = useState('');
  return (
    <article class={`card call call-${state.tone}`} data-call={call.callId} data-state={state.label}>
      <header class="card-head">
        <Pill tone={state.tone}>{t(state.label)}</Pill>
        <h3>{call.tool}</h3>
        <span class="muted">{call.server}</span>
        <span class="grow" />
        <time class="muted">{toTimeText(call.createdAt, now)}</time>
      </header>
      <p class="args">{JSON.stringify(call.args)}</p>
      {call.state !== 'ended' && <Pending call={call} state={state} />}
      {call.questions.map((question) => (
        <QuestionCard
          key={question.key}
          question={fromServer(question)}
          answer={answer ?? ((given) => post(`calls/${call.callId}/answer`, given))}
        />
      ))}
      {call.output.length > 0 && <Output lines={call.output} />}
      {call.outcome && <Ended call={call} state={state} />}
      {problem && <Problem>{problem}</Problem>}
      {actions ?? (
        <>
          {isOfGateway(call) && <WireOf path={`calls/${call.callId}/wire`} news={call} />}
          {isOfGateway(call) && <CopyAs callId={call.callId} />}
          <CallActions call={call} onFailed={setProblem} {...(onAgain && { onAgain })} />
        </>
      )}
    </article>
  );
}

function Pending({ call, state }: { call: CallView; state: CallState }) {
  const { share, message, elapsedMs, remainingMs, estimateMs, attempt } = state;
  return (
    <div class="pending">
      {(state.tone === 'pending' || share !== undefined) && <ProgressBar value={share} label={call.tool} />}
      <p class="pending-line">
        {share !== undefined && <strong>{Math.round(share * 100)} %</strong>}
        {message && <span>{message}</span>}
        <span class="muted">{t('elapsed', { time: toDurationText(elapsedMs) })}</span>
        {remainingMs !== undefined && (
          <span class="muted">{t('remaining', { time: toDurationText(remainingMs) })}</span>
        )}
        {remainingMs === undefined && estimateMs !== undefined && (
          <span class="muted">{t('estimate', { time: toDurationText(estimateMs) })}</span>
        )}
      </p>
      {attempt > 1 && <p class="recovered">{t('tookUp', { n: attempt })}</p>}
      {call.state === 'detached' && <p class="hint">{t('detachedHint')}</p>}
    </div>
  );
}

function Output({ lines }: { lines: readonly string[] }) {
  return (
    <div class="output">
      <p class="label">{t('output')}</p>
      <pre class="code-block" tabIndex={0}>
        {lines.slice(-40).join('\n')}
      </pre>
    </div>
  );
}

function Ended({ call, state }: { call: CallView; state: CallState }) {
  const [whole, setWhole] = useState<CallView>();
  const load = async () => setWhole((await get<{ call: CallView }>(`calls/${call.callId}`)).call);
  const outcome = whole?.outcome ?? call.outcome;
  const isMissing = call.isLarge === true && whole === undefined;
  return (
    <div class="ended">
      <p class="pending-line muted">
        <span>{t('took', { time: toDurationText(state.elapsedMs) })}</span>
        {state.attempt > 1 && <span>{t('attemptOf', { n: state.attempt })}</span>}
      </p>
      {isMissing ? <ActButton label={t('loadResult')} act={load} /> : outcome && <CallOutcomeView outcome={outcome} />}
    </div>
  );
}

interface CallActionsProps {
  readonly call: CallView;
  onFailed(message: string): void;
  onAgain?(call: CallView): void;
}

function CallActions({ call, onFailed, onAgain }: CallActionsProps) {
  const act = (verb: string) => () => post(`calls/${call.callId}/${verb}`);
  const { state, taskId } = call;
  const hasTask = taskId !== undefined && call.dialect?.startsWith('tasks-');
  return (
    <div class="actions">
      {state === 'pending' && <ActButton label={t('detach')} act={act('detach')} onFailed={onFailed} />}
      {state === 'detached' && <ActButton label={t('attach')} kind="primary" act={act('attach')} onFailed={onFailed} />}
      {state !== 'ended' && <ActButton label={t('cancel')} kind="danger" act={act('cancel')} onFailed={onFailed} />}
      {state === 'ended' && onAgain && (
        <button type="button" class="button" onClick={() => onAgain(call)}>
          {t('again')}
        </button>
      )}
      {isOfGateway(call) && (
        <button type="button" class="button" onClick={() => runAs(call)}>
          {t('runAs')}…
        </button>
      )}
      {hasTask && (
        <a class="button" href={toRoute('tasks', taskId)}>
          {t('showTask')}
        </a>
      )}
    </div>
  );
}

/** Only calls through the gateway can be repeated as another client. */
function isOfGateway({ server }: CallView): boolean {
  return live.servers.some(({ name, isGateway }) => isGateway && name === server);
}

function runAs({ server, tool, args }: CallView): void {
  storeDraft({ server, tool, args: args as JsonObject });
  go('run');
}
