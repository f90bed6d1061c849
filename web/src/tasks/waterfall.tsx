import { toDurationText } from '../shell/duration.ts';
import { t } from '../shell/settings.ts';
import type { Span, Timeline } from './spans.ts';

const TICKS = 4;

/** The spans of a task as a waterfall on one time axis. */
export function Waterfall({ timeline }: { timeline: Timeline }) {
  const { from, to, spans } = timeline;
  const length = Math.max(1, to - from);
  return (
    <figure class="waterfall" aria-label={t('timeline')}>
      <div class="axis" aria-hidden="true">
        {Array.from({ length: TICKS + 1 }, (_, at) => (
          <span key={at} style={{ left: `${(at / TICKS) * 100}%` }}>
            {toDurationText((length * at) / TICKS)}
          </span>
        ))}
      </div>
      <ol>
        {spans.map((span, at) => (
          <SpanRow key={`${span.kind} ${span.name} ${at}`} span={span} from={from} length={length} />
        ))}
      </ol>
    </figure>
  );
}

function SpanRow({ span, from, length }: { span: Span; from: number; length: number }) {
  const ms = span.to - span.from;
  const left = Math.min(99.5, ((span.from - from) / length) * 100);
  const width = Math.max(0.5, (ms / length) * 100);
  const time = ms === 0 ? '' : toDurationText(ms);
  return (
    <li class="span-row" data-kind={span.kind} data-end={span.end}>
      <span class={`span-name span-name-${span.kind}`}>{toName(span)}</span>
      <span class="span-track">
        <span
          class={`span span-${span.kind} span-${span.end}`}
          style={{ left: `${left}%`, width: `${Math.min(width, 100 - left)}%` }}
        />
      </span>
      <span class="span-time">
        {time}
        {span.note && (
          <span class={`span-note span-note-${span.end}`}> {span.note === 'kept' ? t('stepKept') : span.note}</span>
        )}
      </span>
    </li>
  );
}

function toName({ kind, name }: Span): string {
  switch (kind) {
    case 'queue':
      return t('queue');
    case 'attempt':
      return t('attempt', { n: name });
    case 'step':
      return t('step', { name });
    case 'question':
      return t('questionSpan', { name });
    case 'process':
      return t('processSpan', { name });
    case 'delivery':
      return t('delivery', { name });
  }
}
