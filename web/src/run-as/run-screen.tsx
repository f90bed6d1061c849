import { useState } from 'preact/hooks';
import type { RecordedClient } from '../../../src/sandbox/run-as/recorded-clients.ts';
import type { RunView } from '../../../src/sandbox/run-as/run-view.ts';
import { Composer, type Draft } from '../calls/composer.tsx';
import { takeDraft } from '../calls/draft.ts';
import { post } from '../live/api.ts';
import { useLive } from '../live/use-live.ts';
import { Empty } from '../shell/bits.tsx';
import { toDurationText } from '../shell/duration.ts';
import { keep, readKept, t } from '../shell/settings.ts';
import { RunCard } from './run-card.tsx';
import { useRuns } from './use-runs.ts';

const FIRST = 'Claude Desktop';
const SPEEDS = [1, 5, 10, 20, 60];
const DEFAULT_SPEED = 10;

/** The screen to repeat a call as another client would make it. */
export function RunScreen() {
  const { servers } = useLive();
  const { clients, runs, take } = useRuns();
  const [draft] = useState<Draft | undefined>(takeDraft);
  const [name, setName] = useState(() => readKept('runClient') ?? FIRST);
  const [speed, setSpeed] = useState(DEFAULT_SPEED);
  const client = clients.find((one) => one.name === name) ?? clients[0];
  const choose = (next: string) => {
    keep('runClient', next);
    setName(next);
  };
  const make = async ({ tool, args }: Draft) => {
    const { run } = await post<{ run: RunView }>('run-as', { client: client?.name, tool, args, speed });
    take(run);
  };
  return (
    <div class="split">
      <section class="pane pane-side" aria-label={t('runAs')}>
        <p class="hint">{t('runIntro')}</p>
        <ClientPicker clients={clients} chosen={client} onChoose={choose} />
        <SpeedPicker speed={speed} onChoose={setSpeed} />
        <Composer
          servers={servers.filter(({ isGateway }) => isGateway)}
          maker={{ label: t('runAs'), make }}
          draft={draft}
        />
      </section>
      <section class="pane pane-main" aria-label={t('runWire')}>
        {runs.length === 0 && <Empty title={t('runNone')} hint={t('runNoneHint')} />}
        <div class="cards">
          {runs.map((run) => (
            <RunCard key={run.runId} run={run} />
          ))}
        </div>
      </section>
    </div>
  );
}

function ClientPicker(props: {
  clients: readonly RecordedClient[];
  chosen: RecordedClient | undefined;
  onChoose: (name: string) => void;
}) {
  const { clients, chosen, onChoose } = props;
  return (
    <div class="field">
      <label for="run-client">
        <span class="field-name">{t('runClient')}</span>
      </label>
      <select
        id="run-client"
        value={chosen?.name ?? ''}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {clients.map(({ name, version }) => (
          <option key={name} value={name}>
            {name.replaceAll('`', '')} {version}
          </option>
        ))}
      </select>
      {chosen && <p class="hint">{toFacts(chosen).join(' · ')}</p>}
    </div>
  );
}

function toFacts(client: RecordedClient): string[] {
  const { clientInfo, protocolVersion, giveUpMs, progressResets, tasks, takesJobs, isRead } = client;
  const takes = tasks === undefined ? t('runNoTasks') : t('runTasks', { name: tasks.slice('tasks-'.length) });
  return [
    clientInfo.name,
    protocolVersion,
    giveUpMs === null ? t('runNeverGivesUp') : t('runGivesUp', { time: toDurationText(giveUpMs) }),
    ...(progressResets ? [t('runResets')] : []),
    takesJobs ? t('runJobs') : takes,
    ...(isRead ? [t('runRead')] : []),
  ];
}

function SpeedPicker({ speed, onChoose }: { speed: number; onChoose: (speed: number) => void }) {
  return (
    <div class="field">
      <label for="run-speed">
        <span class="field-name">{t('runSpeed')}</span>
      </label>
      <select
        id="run-speed"
        value={String(speed)}
        onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}
      >
        {SPEEDS.map((n) => (
          <option key={n} value={String(n)}>
            {t('runSpeedTimes', { n })}
          </option>
        ))}
      </select>
    </div>
  );
}
