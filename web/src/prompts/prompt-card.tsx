import { useState } from 'preact/hooks';
import type { ListedPrompt } from '../../../src/sandbox/prompts/prompt-log-view.ts';
import type { Json, JsonObject } from '../form/schema.ts';
import { post } from '../live/api.ts';
import { JsonTree } from '../result/json-tree.tsx';
import { MarkdownView } from '../result/markdown-view.tsx';
import { ActButton, Pill, Problem } from '../shell/bits.tsx';
import { toTimeText } from '../shell/duration.ts';
import { t } from '../shell/settings.ts';
import type { TextKey } from '../texts/en.ts';
import { DiffView } from './diff-view.tsx';
import { ChoiceBody, KvBody, RemarkBody, TasksBody } from './prompt-bodies.tsx';

/** One prompt, with the inputs for its kind. */
export function PromptCard({ listed }: { listed: ListedPrompt }) {
  const { requestId, ts, response } = listed;
  const prompt = listed.prompt as JsonObject;
  const kind = String(prompt.kind ?? '').trim();
  const at = Date.parse(ts);
  return (
    <article class={`card prompt ${response ? '' : 'prompt-open'}`} data-request={requestId} data-kind={kind}>
      <header class="card-head">
        <Pill tone={response ? 'quiet' : 'asking'}>
          {response ? String((response as JsonObject).status ?? '') : t('pendingPrompts')}
        </Pill>
        <h3>{String(prompt.title || toTitle(kind))}</h3>
        <span class="muted">{kind}</span>
        <span class="grow" />
        <time class="muted">{Number.isNaN(at) ? '' : toTimeText(at, Date.now())}</time>
      </header>
      {prompt.message && <p class="prompt-message">{String(prompt.message)}</p>}
      <PromptText prompt={prompt} kind={kind} />
      {response ? (
        <JsonTree value={response as Json} />
      ) : (
        <PromptForm requestId={requestId} prompt={prompt} kind={kind} />
      )}
      <p class="muted small">
        <code>{requestId}</code>
      </p>
    </article>
  );
}

/** The text to read before answering. */
function PromptText({ prompt, kind }: { prompt: JsonObject; kind: string }) {
  if (kind === 'result') {
    const texts = [prompt.markdown, prompt.result, prompt.content].filter((text) => typeof text === 'string');
    return <MarkdownView text={texts.find((text) => text.trim() !== '') ?? ''} />;
  }
  if (kind !== 'file_change_confirm') return null;
  const places = [
    [t('path'), prompt.path],
    [t('command'), prompt.command],
    [t('directory'), prompt.cwd],
  ] as const;
  return (
    <>
      <dl class="facts">
        {places.map(([name, value]) =>
          typeof value === 'string' && value !== '' ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ) : null,
        )}
      </dl>
      <DiffView text={String(prompt.diff ?? '')} />
    </>
  );
}

interface PromptFormProps {
  readonly requestId: string;
  readonly prompt: JsonObject;
  readonly kind: string;
}

function PromptForm({ requestId, prompt, kind }: PromptFormProps) {
  const [answer, setAnswer] = useState<Json>();
  const [problem, setProblem] = useState('');
  const send = () => post('prompts/answer', { requestId, ...(answer !== undefined && { answer }) });
  const cancel = () => post('prompts/answer', { requestId, cancel: true });
  return (
    <>
      <PromptBody {...{ requestId, prompt, kind }} onChange={setAnswer} />
      {problem && <Problem>{problem}</Problem>}
      <div class="actions">
        {KNOWN.includes(kind) && <ActButton label={t(toVerb(kind))} kind="primary" act={send} onFailed={setProblem} />}
        {kind !== 'result' && prompt.allowCancel !== false && (
          <ActButton label={t('cancel')} act={cancel} onFailed={setProblem} />
        )}
      </div>
    </>
  );
}

const TITLES: Readonly<Record<string, TextKey>> = {
  kv: 'titleKv',
  choice: 'titleChoice',
  task_confirm: 'titleTasks',
  file_change_confirm: 'titleFile',
  result: 'titleResult',
};

/** The title of a prompt that has none of its own. */
function toTitle(kind: string): string {
  const key = TITLES[kind];
  return key === undefined ? kind : t(key);
}

const KNOWN: readonly string[] = ['kv', 'choice', 'task_confirm', 'file_change_confirm', 'result'];

function toVerb(kind: string): 'gotIt' | 'submit' | 'confirm' {
  if (kind === 'result') return 'gotIt';
  return kind === 'kv' || kind === 'choice' ? 'submit' : 'confirm';
}

function PromptBody({ requestId, prompt, kind, onChange }: PromptFormProps & { onChange: (answer: Json) => void }) {
  switch (kind) {
    case 'kv':
      return <KvBody id={requestId} prompt={prompt} onChange={onChange} />;
    case 'choice':
      return <ChoiceBody id={requestId} prompt={prompt} onChange={onChange} />;
    case 'task_confirm':
      return <TasksBody id={requestId} prompt={prompt} onChange={onChange} />;
    case 'file_change_confirm':
      return <RemarkBody id={requestId} prompt={prompt} onChange={(remark) => onChange({ remark })} />;
    case 'result':
      return null;
    default:
      return (
        <>
          <p class="hint">{t('unknownKind')}</p>
          <JsonTree value={prompt} />
        </>
      );
  }
}
