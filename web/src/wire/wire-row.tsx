import type { WireMessage } from '../../../src/sandbox/wire/wire-record.ts';
import { toDurationText, toSizeText } from '../shell/duration.ts';
import { t } from '../shell/settings.ts';

/** One message: its direction and type; its whole text on a click. */
export function WireRow({ message: { at, direction, label, text, size } }: { message: WireMessage }) {
  const says = t(direction === 'out' ? 'runSends' : 'runGets');
  return (
    <details class={`wire wire-${direction}`} data-wire={label}>
      <summary>
        <span class="wire-at">{toDurationText(at)}</span>
        <span aria-label={says} role="img" title={says}>
          {direction === 'out' ? '→' : '←'}
        </span>
        <code>{label}</code>
        <span class="muted">{toSizeText(size)}</span>
      </summary>
      <pre class="code-block" tabIndex={0}>
        {toPretty(text)}
      </pre>
      {size > text.length && <p class="hint">{t('cut')}</p>}
    </details>
  );
}

/** A truncated text is not valid JSON, and is shown as it is. */
function toPretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
