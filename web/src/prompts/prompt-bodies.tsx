/** The inputs to answer a prompt, by its kind. */
import { useEffect, useState } from 'preact/hooks';
import { asObject, type Json, type JsonObject } from '../form/schema.ts';
import { t } from '../shell/settings.ts';

interface BodyProps {
  readonly id: string;
  readonly prompt: JsonObject;
  onChange(answer: Json): void;
}

function toList(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

/** Text fields; secret ones are masked. */
export function KvBody({ id, prompt, onChange }: BodyProps) {
  const fields = toList(prompt.fields);
  const [values, setValues] = useState<JsonObject>(() =>
    Object.fromEntries(fields.map((field) => [String(field.key), String(field.default ?? '')])),
  );
  useEffect(() => onChange(values), [values]);
  return (
    <div class="fields">
      {fields.map((field) => {
        const key = String(field.key);
        const isSecret = field.secret !== undefined && field.secret !== false;
        const onInput = (event: { currentTarget: { value: string } }) =>
          setValues({ ...values, [key]: event.currentTarget.value });
        const shared = {
          id: `${id}-${key}`,
          value: String(values[key] ?? ''),
          placeholder: String(field.placeholder ?? ''),
          onInput,
        };
        return (
          <div key={key} class="field">
            <label for={`${id}-${key}`}>
              <span class="field-name">{String(field.label || key)}</span>
              <span class="field-kind">{t(field.required === true ? 'required' : 'optional')}</span>
            </label>
            {field.multiline === true && !isSecret ? (
              <textarea rows={3} {...shared} />
            ) : (
              <input type={isSecret ? 'password' : 'text'} autocomplete="off" {...shared} />
            )}
            {field.description && <p class="hint">{String(field.description)}</p>}
            {isSecret && <p class="hint">{t('secretHint')}</p>}
          </div>
        );
      })}
    </div>
  );
}

/** One or several of a list of options. */
export function ChoiceBody({ id, prompt, onChange }: BodyProps) {
  const options = toList(prompt.options);
  const isMultiple = prompt.multiple === true;
  const first = toDefault(prompt, isMultiple);
  const [chosen, setChosen] = useState<readonly string[]>(first);
  useEffect(() => onChange(isMultiple ? chosen : (chosen[0] ?? '')), [chosen]);
  const toggle = (value: string) => {
    if (!isMultiple) return setChosen([value]);
    setChosen(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]);
  };
  const bounds = { min: Number(prompt.minSelections ?? 0), max: Number(prompt.maxSelections ?? options.length) };
  return (
    <fieldset class="choices">
      <legend class="hint">{isMultiple ? t('chooseUpTo', bounds) : ''}</legend>
      {options.map(({ value, label, description }) => (
        <label key={String(value)} class="check">
          <input
            type={isMultiple ? 'checkbox' : 'radio'}
            name={id}
            checked={chosen.includes(String(value))}
            onChange={() => toggle(String(value))}
          />
          <span>
            {String(label || value)}
            {description && <span class="hint"> {String(description)}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function toDefault(prompt: JsonObject, isMultiple: boolean): readonly string[] {
  const { default: given } = prompt;
  if (Array.isArray(given)) return given.map(String);
  return typeof given === 'string' && given !== '' && !isMultiple ? [given] : [];
}

function toTexts(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Tasks to keep, remove or reword, and a remark. */
export function TasksBody({ id, prompt, onChange }: BodyProps) {
  const [tasks, setTasks] = useState<readonly JsonObject[]>(() => toList(prompt.tasks));
  const [remark, setRemark] = useState(String(prompt.defaultRemark ?? ''));
  useEffect(() => onChange({ tasks, remark }), [tasks, remark]);
  const change = (at: number, title: string) =>
    setTasks(tasks.map((task, index) => (index === at ? { ...task, title } : task)));
  return (
    <>
      <ol class="prompt-tasks">
        {tasks.map((task, at) => (
          <li key={String(task.draftId ?? task.id ?? at)}>
            <input
              type="text"
              aria-label={`${t('task')} ${at + 1}`}
              value={String(task.title ?? '')}
              onInput={({ currentTarget }) => change(at, currentTarget.value)}
            />
            <button type="button" class="link" onClick={() => setTasks(tasks.filter((_, index) => index !== at))}>
              {t('removeItem')}
            </button>
            <p class="hint">{[task.priority, task.status, ...toTexts(task.tags)].filter(Boolean).join(' · ')}</p>
            {task.details && <p class="hint">{String(task.details)}</p>}
          </li>
        ))}
      </ol>
      <RemarkField id={id} remark={remark} onChange={setRemark} />
    </>
  );
}

export function RemarkBody({
  id,
  prompt,
  onChange,
}: {
  id: string;
  prompt: JsonObject;
  onChange: (remark: string) => void;
}) {
  const [remark, setRemark] = useState(String(prompt.defaultRemark ?? ''));
  useEffect(() => onChange(remark), [remark]);
  return <RemarkField id={id} remark={remark} onChange={setRemark} />;
}

function RemarkField({ id, remark, onChange }: { id: string; remark: string; onChange: (remark: string) => void }) {
  return (
    <div class="field">
      <label for={`${id}-remark`}>
        <span class="field-name">{t('remark')}</span>
      </label>
      <input
        id={`${id}-remark`}
        type="text"
        value={remark}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  );
}
