import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { asObject, findFaults, type JsonObject, toDefaults, toFields } from '../form/schema.ts';
import { SchemaForm } from '../form/schema-form.tsx';
import { toSafeLink } from '../result/markdown.ts';
import { ActButton, Problem } from '../shell/bits.tsx';
import { t } from '../shell/settings.ts';

/** A question in the page's own form, whether a task or a server asked it. */
export interface AskedQuestion {
  readonly key: string;
  readonly kind: 'form' | 'url' | 'other';
  readonly message: string;
  readonly schema?: unknown;
  readonly secrets?: readonly string[];
  readonly url?: string;
  readonly refusal?: string;
}

export interface QuestionAnswer {
  readonly key: string;
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: JsonObject;
}

/** A question with a form to answer it. */
export function QuestionCard({
  question,
  answer,
  children,
}: {
  question: AskedQuestion;
  answer: (given: QuestionAnswer) => Promise<unknown>;
  children?: ComponentChildren;
}) {
  const { key, kind, message, refusal } = question;
  const fields = kind === 'form' ? toFields(question.schema, question.secrets) : [];
  const [values, setValues] = useState<JsonObject>(() => toDefaults(fields));
  const [isTried, setTried] = useState(false);
  const [problem, setProblem] = useState('');
  const faults = findFaults(fields, values);
  const accept = async () => {
    setTried(true);
    if (Object.keys(faults).length > 0) return;
    await answer({ key, action: 'accept', ...(kind === 'form' && { content: values }) });
  };
  return (
    <section class="question" aria-label={t('question')}>
      <p class="question-text">{message}</p>
      {refusal && <Problem>{t('refusedAnswer', { why: refusal })}</Problem>}
      {kind === 'url' && <PageLink url={question.url ?? ''} />}
      {kind === 'other' && <p class="hint">{t('noPerson')}</p>}
      <SchemaForm
        idPrefix={`q-${key}`}
        fields={fields}
        values={values}
        faults={isTried ? faults : {}}
        onChange={setValues}
      />
      {problem && <Problem>{problem}</Problem>}
      <div class="actions">
        {kind !== 'other' && <ActButton label={t('answer')} kind="primary" act={accept} onFailed={setProblem} />}
        <ActButton label={t('decline')} act={() => answer({ key, action: 'decline' })} onFailed={setProblem} />
      </div>
      {kind !== 'other' && children}
    </section>
  );
}

/** A link that is opened only by a click, with the full URL shown beside it. */
function PageLink({ url }: { url: string }) {
  const href = toSafeLink(url);
  return (
    <p>
      <code>{url}</code>{' '}
      {href !== undefined && (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {t('openPage')}
        </a>
      )}
    </p>
  );
}

/** Converts a task's question. */
export function fromTask({ key, request }: { key: string; request: unknown }): AskedQuestion {
  const asked = asObject(request);
  const message = String(asked.message ?? '');
  if (asked.kind === 'form')
    return { key, kind: 'form', message, schema: asked.schema, secrets: listSecrets(asked.schema) };
  if (asked.kind === 'url') return { key, kind: 'url', message, url: String(asked.url ?? '') };
  return { key, kind: 'other', message: String(asked.kind ?? '') };
}

/** Converts a server's question from its MCP request. */
export function fromServer(asked: {
  key: string;
  request: { method: string; params?: unknown };
  refusal?: string;
}): AskedQuestion {
  const { key, request, refusal } = asked;
  const params = asObject(request.params);
  const rest = { key, message: String(params.message ?? request.method), ...(refusal !== undefined && { refusal }) };
  if (request.method !== 'elicitation/create') return { ...rest, kind: 'other' };
  if (params.mode === 'url') return { ...rest, kind: 'url', url: String(params.url ?? '') };
  const marked = asObject(params._meta)['holdfast/secret'];
  const secrets = Array.isArray(marked) ? marked.map(String) : [];
  return { ...rest, kind: 'form', schema: params.requestedSchema, secrets };
}

function listSecrets(schema: unknown): string[] {
  const properties = Object.entries(asObject(asObject(schema).properties));
  return properties.flatMap(([name, part]) => (asObject(part).secret === true ? [name] : []));
}
