import { useEffect, useState } from 'preact/hooks';
import type { JsonObject } from '../form/schema.ts';
import { toMessage } from '../live/api.ts';
import { t } from '../shell/settings.ts';

export interface JsonEditorProps {
  readonly value: JsonObject;
  onChange(value: JsonObject): void;
  /** Called with what is wrong with the text; empty if nothing is. */
  onFault(fault: string): void;
}

/** The form's arguments as JSON text; edits here update the form, and the other way round. */
export function JsonEditor({ value, onChange, onFault }: JsonEditorProps) {
  const whole = JSON.stringify(value, null, 2);
  const [text, setText] = useState(whole);
  const [fault, setFault] = useState('');
  useEffect(() => {
    const { parsed } = parse(text);
    if (fault === '' && JSON.stringify(parsed) !== JSON.stringify(value)) setText(whole);
  }, [whole]);
  const onInput = (next: string) => {
    setText(next);
    const { parsed, why } = parse(next);
    setFault(why);
    onFault(why);
    if (parsed) onChange(parsed);
  };
  return (
    <div class="field json-field">
      <label for="json">
        <span class="field-name">{t('json')}</span>
      </label>
      <textarea
        id="json"
        class="code"
        rows={Math.min(12, text.split('\n').length + 1)}
        spellcheck={false}
        value={text}
        aria-invalid={fault !== ''}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {fault && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

function parse(text: string): { readonly parsed?: JsonObject; readonly why: string } {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return { parsed: parsed as JsonObject, why: '' };
    return { why: t('jsonObject') };
  } catch (error) {
    return { why: t('badJson', { why: toMessage(error) }) };
  }
}
