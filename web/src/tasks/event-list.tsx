import { useState } from 'preact/hooks';
import { toActorText } from '../../../src/task/actor.ts';
import type { EventGap, TaskEvent } from '../../../src/task/event.ts';
import { toTimeText } from '../shell/duration.ts';
import { t } from '../shell/settings.ts';

const HIGH_RATE = ['progress', 'log', 'stream'];
const SHOWN = 200;

/** The events of a task, newest last; the checkbox hides high-rate events. */
export function EventList({ events, now }: { events: readonly (TaskEvent | EventGap)[]; now: number }) {
  const [isAll, setAll] = useState(true);
  const shown = isAll ? events : events.filter(({ type }) => !HIGH_RATE.includes(type));
  return (
    <section aria-label={t('events')}>
      <div class="events-head">
        <h3 class="label">
          {t('events')} <span class="muted">{events.length}</span>
        </h3>
        <label class="check">
          <input type="checkbox" checked={isAll} onChange={({ currentTarget }) => setAll(currentTarget.checked)} />
          <span>{t('highRate')}</span>
        </label>
      </div>
      <ol class="events">
        {shown.slice(-SHOWN).map((event) =>
          event.type === 'gap' ? (
            <li key={`gap ${event.from}`} class="event">
              <span class="event-text">{t('eventGap', { from: event.from, to: event.to })}</span>
            </li>
          ) : (
            <EventRow key={event.seq} event={event} now={now} />
          ),
        )}
      </ol>
    </section>
  );
}

function EventRow({ event, now }: { event: TaskEvent; now: number }) {
  return (
    <li class={`event event-${event.type}`}>
      <span class="event-seq">{event.seq}</span>
      <time class="muted">{toTimeText(event.at, now)}</time>
      <span class="event-type">{event.type}</span>
      <span class="event-text">{toText(event)}</span>
    </li>
  );
}

/** The text of an event, in addition to its type and time. */
function toText(event: TaskEvent): string {
  switch (event.type) {
    case 'claimed':
      return `${t('attempt', { n: event.attempt })}, ${event.worker}`;
    case 'requeued':
      return event.reason;
    case 'ended':
      return [event.status, event.message, event.by && t('by', { who: toActorText(event.by) })]
        .filter(Boolean)
        .join(' · ');
    case 'progress':
      return [`${Math.round(event.value * 1000) / 10} %`, event.message].filter(Boolean).join(' · ');
    case 'log':
      return `${event.level}: ${event.message}`;
    case 'stepped':
      return event.name;
    case 'asked':
      return event.key;
    case 'answered':
      return [event.key, event.answer.action, event.by && t('by', { who: toActorText(event.by) })]
        .filter(Boolean)
        .join(' · ');
    case 'stream':
      return JSON.stringify(event.data).slice(0, 300);
    case 'stalled':
      return event.worker;
    case 'adopted':
      return `${event.from} → ${event.to}`;
    case 'taken-over':
      return toActorText(event.by);
    case 'submitted':
      return [event.rerunOf && t('rerunOf', { id: event.rerunOf }), event.by && t('by', { who: toActorText(event.by) })]
        .filter(Boolean)
        .join(' · ');
    case 'spawned':
      return `${event.pid} · ${event.command}`;
    case 'exited':
      return `${event.pid} · ${event.signal ?? event.code}`;
    case 'parked':
      return '';
  }
}
