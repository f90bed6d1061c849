import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';

const ID = /\b01[0-9a-v]{6,}/g;

/**
 * Expects that a program printed what a page shows. Ids, numbers and the room between columns may differ; `…` stands for
 * any number of lines.
 */
export function expectLike(printed: string, shown: string): void {
  const pattern = toLines(shown).map((line) => (line === '…' ? '(?:.*\\n)*?' : `${escapePattern(line)}\\n`));
  expect(`${toLines(printed).join('\n')}\n`).toMatch(new RegExp(`^${pattern.join('')}$`));
}

function toLines(text: string): string[] {
  const plain = stripVTControlCharacters(text)
    .replaceAll(ID, 'ID')
    // Short ones: of a task before its age, of a call before what it says.
    .replaceAll(/^call [0-9a-v]{4,}(?=: )/gm, 'call ID')
    .replaceAll(/^[0-9a-v]{4,}(?= +\d+(?:ms|[hms])\b)/gm, 'ID')
    .replaceAll(/\d+/g, 'N')
    // A duration has one part or two, and any unit.
    .replaceAll(/\bN (?:min|ms|s)\b/g, 'N s')
    .replaceAll(/\bN(?:h|m|ms|s)\b(?: N[ms]\b)?/g, 'Ns')
    // How far a task is when somebody looks.
    .replaceAll(/\b(?:queued|working|input_required)\b(?: +N%)?(?: +Ns)?/g, 'under way');
  return plain
    .split(/[\r\n]+/)
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter(Boolean);
}

const escapePattern = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
