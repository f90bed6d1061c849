import { useLive } from '../live/use-live.ts';
import { Pill } from '../shell/bits.tsx';
import { t } from '../shell/settings.ts';

const TONES = { starting: 'queued', ready: 'good', away: 'bad' } as const;

/** The servers behind the gateway; renders nothing if there is no gateway. */
export function UpstreamTable() {
  const { servers, tasks } = useLive();
  const upstreams = servers.flatMap((server) => server.upstreams ?? []);
  if (upstreams.length === 0) return null;
  const open = [...tasks.values()].filter(({ endedAt }) => endedAt === undefined);
  return (
    <>
      <h2>{t('upstreams')}</h2>
      <div class="table-frame">
        <table>
          <thead>
            <tr>
              <th>{t('server')}</th>
              <th>{t('state')}</th>
              <th class="number">{t('toolCount')}</th>
              <th class="number">{t('underWay')}</th>
            </tr>
          </thead>
          <tbody>
            {upstreams.map(({ name, state, tools, problem }) => (
              <tr key={name} data-upstream={name}>
                <td>
                  <code>{name}</code>
                  {problem && <p class="hint">{problem}</p>}
                </td>
                <td>
                  <Pill tone={TONES[state]}>{t(state)}</Pill>
                </td>
                <td class="number">{tools.length}</td>
                <td class="number">{open.filter(({ tool }) => tools.includes(tool)).length}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
