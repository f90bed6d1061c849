/** Formats prompts and their responses as one line. */
import { maskSecrets, withoutSecrets } from '../../dialects/ui-prompts/prompt/secrets.ts';
import { type PromptEntry, toKind, toResultText } from '../../dialects/ui-prompts/wire.ts';
import type { JsonObject } from '../../host/index.ts';
import { toPlainText } from '../../text/plain-text.ts';
import { toValueText } from './format.ts';
import type { Terminal } from './terminal.ts';

const MAX_SUMMARY = 60;

/** The beginning of a prompt's text. */
export function toSummary(prompt: JsonObject): string {
  const { title, message } = prompt;
  const parts = [title, message].filter((text) => typeof text === 'string' && text.trim() !== '');
  const text = (parts.length > 0 ? parts.join(': ') : toResultText(prompt)).trim().replace(/\s+/g, ' ');
  return text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY - 1)}…` : text;
}

/** An entry without secrets: defaults of secret fields are left out, and answers to them are masked. */
export function toShown<Entry extends PromptEntry>(entry: Entry, prompt: JsonObject | undefined): Entry {
  if (entry.action === 'request') return { ...entry, prompt: withoutSecrets(entry.prompt) };
  return { ...entry, response: maskSecrets(entry.response, prompt) };
}

/** Formats one entry as a line. `prompt` is the one a response answers; without it every value is treated as a secret. */
export function toEntryLine(entry: PromptEntry, prompt: JsonObject | undefined, terminal: Terminal): string {
  const time = terminal.paint('gray', (toPlainText(entry.ts) || 'no time').padEnd(24));
  return `${time}  ${entry.action.padEnd(8)}  ${toDetail(entry, prompt, terminal)}`.trimEnd();
}

function toDetail(entry: PromptEntry, prompt: JsonObject | undefined, terminal: Terminal): string {
  const id = toPlainText(entry.requestId);
  if (entry.action === 'request') {
    const kind = toPlainText(toKind(entry.prompt) || 'no kind');
    const text = kind === 'result' ? toValueText(toResultText(entry.prompt), terminal) : toSummary(entry.prompt);
    return `${kind.padEnd(19)}  ${id}  ${toPlainText(text)}`;
  }
  const { status, ...rest } = toShown(entry, prompt).response;
  const said = Object.keys(rest).length === 0 ? '' : toValueText(rest, terminal);
  return `${toPlainText(String(status ?? '')).padEnd(19)}  ${id}  ${said}`;
}
