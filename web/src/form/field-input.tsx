import { useEffect, useState } from 'preact/hooks';
import { t } from '../shell/settings.ts';
import type { Field, Json } from './schema.ts';

export interface FieldInputProps {
  readonly id: string;
  readonly field: Field;
  readonly value: Json | undefined;
  set(value: Json | undefined): void;
}

/** The input element for one field, by its kind. */
export function FieldInput(props: FieldInputProps) {
  switch (props.field.kind) {
    case 'flag':
      return <FlagInput {...props} />;
    case 'choice':
      return <ChoiceInput {...props} />;
    case 'choices':
      return <ChoicesInput {...props} />;
    case 'texts':
    case 'json':
      return <JsonInput {...props} />;
    case 'number':
    case 'whole':
      return <NumberInput {...props} />;
    case 'text':
      return <TextInput {...props} />;
  }
}

function TextInput({ id, field, value, set }: FieldInputProps) {
  const text = typeof value === 'string' ? value : '';
  const onInput = (event: { currentTarget: { value: string } }) => {
    const next = event.currentTarget.value;
    set(next === '' && !field.isRequired ? undefined : next);
  };
  if (field.isLong) return <textarea id={id} rows={4} value={text} onInput={onInput} />;
  return (
    <input id={id} type={field.isSecret ? 'password' : 'text'} autocomplete="off" value={text} onInput={onInput} />
  );
}

function NumberInput({ id, field, value, set }: FieldInputProps) {
  const text = value === undefined || value === null ? '' : String(value);
  return (
    <input
      id={id}
      type="text"
      inputMode={field.kind === 'whole' ? 'numeric' : 'decimal'}
      value={text}
      onInput={({ currentTarget }) => set(toNumber(currentTarget.value))}
    />
  );
}

/** Text that is not a number is kept as typed, so that validation reports it. */
function toNumber(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) && !text.endsWith('.') ? number : text;
}

function FlagInput({ id, field, value, set }: FieldInputProps) {
  return (
    <label class="check">
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
      <span>{field.title}</span>
    </label>
  );
}

function ChoiceInput({ id, field, value, set }: FieldInputProps) {
  const at = field.options.findIndex((option) => option.value === value);
  return (
    <select
      id={id}
      value={String(at)}
      onChange={({ currentTarget }) => set(field.options[Number(currentTarget.value)]?.value)}
    >
      <option value="-1">{t('unset')}</option>
      {field.options.map(({ label }, index) => (
        <option key={label} value={String(index)}>
          {label}
        </option>
      ))}
    </select>
  );
}

function ChoicesInput({ id, field, value, set }: FieldInputProps) {
  const chosen: readonly Json[] = Array.isArray(value) ? value : [];
  const toggle = (option: Json) =>
    set(chosen.includes(option) ? chosen.filter((one) => one !== option) : [...chosen, option]);
  return (
    <div id={id} class="choices">
      {field.options.map(({ value: option, label }) => (
        <label key={label} class="check">
          <input type="checkbox" checked={chosen.includes(option)} onChange={() => toggle(option)} />
          <span>{label}</span>
        </label>
      ))}
    </div>
  );
}

/** A JSON input, for values that have no input of their own. */
function JsonInput({ id, value, set }: FieldInputProps) {
  const whole = value === undefined ? '' : JSON.stringify(value);
  const [text, setText] = useState(whole);
  const [isWrong, setWrong] = useState(false);
  useEffect(() => {
    if (toValue(text) !== undefined && JSON.stringify(toValue(text)) !== whole) setText(whole);
  }, [whole]);
  const onInput = (next: string) => {
    setText(next);
    const parsed = toValue(next);
    setWrong(next.trim() !== '' && parsed === undefined);
    if (next.trim() === '' || parsed !== undefined) set(parsed);
  };
  return (
    <>
      <textarea
        id={id}
        class="code"
        rows={3}
        value={text}
        spellcheck={false}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {isWrong && <p class="fault">{t('fieldJson')}</p>}
    </>
  );
}

function toValue(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
