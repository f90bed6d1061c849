import { useState } from 'preact/hooks';
import type { CallView } from '../../../src/sandbox/calls/call-view.ts';
import type { JsonObject } from '../form/schema.ts';
import { post } from '../live/api.ts';
import { live } from '../live/live.ts';
import { useLive } from '../live/use-live.ts';
import { Empty } from '../shell/bits.tsx';
import { keep, readKept, t } from '../shell/settings.ts';
import { CallCard } from './call-card.tsx';
import { Composer, type Draft } from './composer.tsx';
import { takeDraft } from './draft.ts';

const MAIN = 'main';
const SHOWN = 50;

/** The screen to compose calls and to see earlier ones. */
export function CallsScreen() {
  const { calls: known, servers } = useLive();
  const calls = [...known.values()].sort((a, b) => b.createdAt - a.createdAt);
  const [sessionId, setSession] = useState(() => readKept('session') ?? MAIN);
  const [draft, setDraft] = useState<Draft | undefined>(takeDraft);
  const choose = (next: string) => {
    keep('session', next);
    setSession(next);
  };
  const onAgain = ({ server, tool, args }: CallView) => setDraft({ server, tool, args: args as JsonObject });
  return (
    <div class="split">
      <section class="pane pane-side" aria-label={t('call')}>
        <Composer servers={servers} maker={{ label: t('call'), make: makeCall(sessionId) }} draft={draft} />
      </section>
      <section class="pane pane-main" aria-label={t('calls')}>
        <Sessions calls={calls} chosen={sessionId} onChoose={choose} />
        <CallList calls={calls.filter((call) => call.sessionId === sessionId)} onAgain={onAgain} />
      </section>
    </div>
  );
}

function makeCall(sessionId: string) {
  return async (draft: Draft) => {
    const { call } = await post<{ call: CallView }>('calls', { ...draft, sessionId });
    live.calls.set(call.callId, call);
    live.changed();
  };
}

function CallList({ calls, onAgain }: { calls: readonly CallView[]; onAgain: (call: CallView) => void }) {
  const [shown, setShown] = useState(SHOWN);
  if (calls.length === 0) return <Empty title={t('noCalls')} hint={t('noCallsHint')} />;
  return (
    <div class="cards">
      {calls.slice(0, shown).map((call) => (
        <CallCard key={call.callId} call={call} {...(canCall(call) && { onAgain })} />
      ))}
      {calls.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + SHOWN)}>
          {t('more')}
        </button>
      )}
    </div>
  );
}

/** Calls made by the MCP test have their own screen and cannot be repeated here. */
function canCall({ server }: CallView): boolean {
  return live.servers.some(({ name }) => name === server);
}

function Sessions({
  calls,
  chosen,
  onChoose,
}: {
  calls: readonly CallView[];
  chosen: string;
  onChoose: (id: string) => void;
}) {
  const ids = [...new Set([MAIN, ...calls.map(({ sessionId }) => sessionId), chosen])];
  const pendingOf = (id: string) =>
    calls.filter(({ sessionId, state }) => sessionId === id && state === 'pending').length;
  const add = () => {
    const numbers = ids.map((id) => Number(/^session-(\d+)$/.exec(id)?.[1] ?? 1));
    onChoose(`session-${Math.max(...numbers) + 1}`);
  };
  return (
    <div class="sessions" role="group" aria-label={t('session')}>
      {ids.map((id) => (
        <button key={id} type="button" class="chip" aria-pressed={id === chosen} onClick={() => onChoose(id)}>
          {id}
          {pendingOf(id) > 0 && <span class="chip-count">{pendingOf(id)}</span>}
        </button>
      ))}
      <button type="button" class="chip chip-add" onClick={add}>
        + {t('newSession')}
      </button>
    </div>
  );
}
