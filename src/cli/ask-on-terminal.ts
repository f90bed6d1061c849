import { createInterface } from 'node:readline/promises';
import type { HostQuestion, JsonObject } from '../host/index.ts';
import type { Json } from '../task/json.ts';
import { toPlainText } from './format.ts';

interface Field {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
}

/** Asks the person at the terminal, one field after the other; an empty line leaves a field out. */
export async function askOnTerminal({ params = {}, signal }: HostQuestion): Promise<JsonObject> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ask = (text: string) => lines.question(`${toPlainText(text)} `, { signal });
    process.stderr.write(`\n${toPlainText(String(params.message ?? ''))}\n`);
    if (params.mode === 'url') {
      await ask(`Open ${String(params.url)} and press Enter when you are done:`);
      return { action: 'accept' };
    }
    const { properties = {} } = (params.requestedSchema ?? {}) as { properties?: Record<string, Field> };
    const content: Record<string, Json> = {};
    for (const [key, field] of Object.entries(properties)) {
      const answer = await ask(`${field.title ?? key}${toHint(field)}:`);
      if (answer !== '') content[key] = toValue(answer, field);
    }
    return { action: 'accept', content };
  } finally {
    lines.close();
  }
}

function toHint({ type, enum: choices }: Field): string {
  if (choices) return ` (${choices.join(', ')})`;
  return type === 'boolean' ? ' (yes or no)' : '';
}

function toValue(answer: string, { type }: Field): Json {
  if (type === 'boolean') return /^(y|yes|true|1)$/i.test(answer.trim());
  if (type === 'number' || type === 'integer') return Number(answer);
  return answer;
}
