import { t } from '../shell/settings.ts';
import { FieldInput } from './field-input.tsx';
import type { Field, FieldFault, Json, JsonObject } from './schema.ts';

export interface SchemaFormProps {
  readonly idPrefix: string;
  readonly fields: readonly Field[];
  readonly values: JsonObject;
  readonly faults: Readonly<Record<string, FieldFault>>;
  onChange(values: JsonObject): void;
}

/** A form generated from a JSON Schema's fields. */
export function SchemaForm({ idPrefix, fields, values, faults, onChange }: SchemaFormProps) {
  const set = (name: string, value: Json | undefined) => {
    const { [name]: _before, ...rest } = values;
    onChange(value === undefined ? rest : { ...rest, [name]: value });
  };
  return (
    <div class="fields">
      {fields.map((field) => (
        <FormRow key={field.name} {...{ idPrefix, field, value: values[field.name], fault: faults[field.name], set }} />
      ))}
    </div>
  );
}

interface FormRowProps {
  readonly idPrefix: string;
  readonly field: Field;
  readonly value: Json | undefined;
  readonly fault: FieldFault | undefined;
  set(name: string, value: Json | undefined): void;
}

function FormRow({ idPrefix, field, value, fault, set }: FormRowProps) {
  const id = `${idPrefix}-${field.name}`;
  return (
    <div class="field">
      <label for={id}>
        <span class="field-name">{field.title}</span>
        <span class="field-kind">{t(field.isRequired ? 'required' : 'optional')}</span>
      </label>
      <FieldInput {...{ id, field, value }} set={(next) => set(field.name, next)} />
      {field.description && field.description !== field.title && <p class="hint">{field.description}</p>}
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {t(fault)}
        </p>
      )}
    </div>
  );
}
