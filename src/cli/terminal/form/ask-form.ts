import type { JsonObject } from '../../../host/index.ts';
import { isObject } from '../../../is-object.ts';
import type { Json } from '../../../task/json.ts';
import { askField, type Parsed } from '../ask-field.ts';
import type { Terminal } from '../terminal.ts';
import { editJson, findEditor } from './edit-json.ts';
import { type FormField, toForm } from './form-field.ts';
import { parseJson, parseLine, toExpected } from './parse-line.ts';

type Asker = Pick<Terminal, 'keyboard' | 'remark'>;

export interface FormOptions {
  readonly signal?: AbortSignal;
  /** The answer that was refused before; its values are what Enter alone means now. */
  readonly before?: JsonObject | undefined;
  /** The command that edits a file. @default the editor named in the environment */
  readonly editor?: string | undefined;
}

/** Marks a field that is left out. */
const LEFT_OUT = Symbol('left out');

type Filled = { readonly value: Json | typeof LEFT_OUT } | undefined;

/**
 * Asks the person at the terminal for a form, field by field, each until its answer fits. An empty line leaves out an
 * optional field. Returns undefined on Ctrl-C.
 */
export async function askForm(schema: unknown, terminal: Asker, options: FormOptions = {}): Promise<Json | undefined> {
  const { before, ...rest } = options;
  const asking = { terminal, ...rest, editor: 'editor' in options ? options.editor : findEditor() };
  const filled = await askFor(toForm(schema), before, asking);
  return filled && (filled.value === LEFT_OUT ? {} : filled.value);
}

interface Asking extends Omit<FormOptions, 'before'> {
  readonly terminal: Asker;
}

function askFor(field: FormField, before: Json | undefined, asking: Asking): Promise<Filled> {
  if (field.shape.kind === 'group') return askGroup(field, field.shape.fields, { ...asking, before });
  return askLine(field, before, asking);
}

async function askGroup(
  field: FormField,
  fields: readonly FormField[],
  { before, ...asking }: Asking & { readonly before: Json | undefined },
): Promise<Filled> {
  if (!field.isRequired) {
    const isWanted = await askWhether(field, before !== undefined, asking);
    if (isWanted?.value !== true) return isWanted && { value: LEFT_OUT };
  }
  const entries: [string, Json][] = [];
  for (const one of fields) {
    const filled = await askFor(one, readBefore(before, one), asking);
    if (filled === undefined) return undefined;
    if (filled.value !== LEFT_OUT) entries.push([one.key, filled.value]);
  }
  return { value: Object.fromEntries(entries) };
}

/** Asks whether to fill in an optional object. */
function askWhether({ label }: FormField, byDefault: boolean, { terminal, signal }: Asking) {
  return askField(terminal, {
    label: `${label}: fill it in?`,
    expected: 'yes or no',
    byDefault: byDefault ? 'yes' : 'no',
    ...(signal && { signal }),
    parse: (answer) =>
      answer.trim() === '' ? { value: byDefault } : parseLine(answer, { kind: 'boolean', limits: {} }),
  });
}

function readBefore(before: Json | undefined, { key, isSecret }: FormField): Json | undefined {
  if (isSecret || !isObject<Json>(before)) return undefined;
  return Object.hasOwn(before, key) ? before[key] : undefined;
}

function askLine(field: FormField, before: Json | undefined, asking: Asking): Promise<Filled> {
  const { label, isSecret } = field;
  const { terminal, signal, editor } = asking;
  const shape = field.shape as Parameters<typeof parseLine>[1];
  const canEdit = shape.kind === 'json' && editor !== undefined && !isSecret;
  const byDefault = isSecret ? undefined : (before ?? field.byDefault);
  const expected = [toExpected(shape), canEdit && '"edit" opens your editor'].filter(Boolean).join('; ');
  return askField<Json | typeof LEFT_OUT>(terminal, {
    label,
    expected: expected === '' ? undefined : expected,
    byDefault: byDefault === undefined ? undefined : JSON.stringify(byDefault),
    isSecret,
    ...(signal && { signal }),
    parse(answer) {
      if (answer.trim() === '') return parseEmpty({ ...field, ...(byDefault !== undefined && { byDefault }) });
      if (!canEdit || answer.trim() !== 'edit') return parseLine(answer, shape);
      return editField({ shape, draft: byDefault }, editor, terminal);
    },
  });
}

function parseEmpty({ byDefault, isRequired, isNullable, label }: FormField): Parsed<Json | typeof LEFT_OUT> {
  if (byDefault !== undefined) return { value: byDefault };
  if (!isRequired) return { value: LEFT_OUT };
  return isNullable ? { value: null } : { wrong: `${label} must be given` };
}

async function editField(
  { shape, draft }: { readonly shape: FormField['shape']; readonly draft: Json | undefined },
  editor: string,
  { keyboard }: Asker,
): Promise<Parsed<Json>> {
  const example = shape.kind === 'json' ? shape.example : null;
  return keyboard.lend(async () => parseJson(await editJson(draft ?? example, editor)));
}
