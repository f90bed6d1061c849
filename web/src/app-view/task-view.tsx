import { useEffect, useState } from 'preact/hooks';
import { CallCard } from '../calls/call-card.tsx';
import { ActButton, Empty, Problem } from '../shell/bits.tsx';
import { t, useSettings } from '../shell/settings.ts';
import type { CallFollower, FollowedCall } from './call-follower.ts';
import type { HostBridge } from './host-bridge.ts';
import { toCallView } from './to-call-view.ts';

/** What the host allows the view to do. */
export interface HostRights {
  readonly mayAsk: boolean;
  readonly maySpeak: boolean;
}

export interface TaskViewProps {
  readonly follower: CallFollower;
  readonly bridge: HostBridge;
  readonly tool: string;
  readonly rights: HostRights;
  onCall(listener: (call: FollowedCall) => void): () => void;
}

/** A call that the model has made, for the person who waits for it. */
export function TaskView({ follower, bridge, tool, rights, onCall }: TaskViewProps) {
  useSettings();
  const [call, setCall] = useState(follower.call);
  useEffect(() => {
    const stop = onCall(setCall);
    // The host may have sent everything before this component was mounted.
    setCall(follower.call);
    return stop;
  }, [follower, onCall]);
  const shown = toCallView(call, tool, (n) => t('tookUp', { n }));
  return (
    <main class="app-view" data-phase={call.phase}>
      {shown ? (
        <CallCard
          call={shown}
          answer={({ key, action, content }) => follower.act({ key, action, ...(content && { content }) })}
          actions={<ViewActions call={call} follower={follower} bridge={bridge} rights={rights} />}
        />
      ) : (
        <Empty title={t('viewWaiting')} />
      )}
      {call.phase !== 'over' && shown && !rights.mayAsk && <p class="hint">{t('viewMayNotAsk')}</p>}
      {call.problem && <Problem>{call.problem}</Problem>}
    </main>
  );
}

type ViewActionsProps = Pick<TaskViewProps, 'follower' | 'bridge' | 'rights'> & { readonly call: FollowedCall };

function ViewActions({ call, follower, bridge, rights }: ViewActionsProps) {
  const [problem, setProblem] = useState('');
  const { task, phase, isHandedOver } = call;
  if (!task) return null;
  const words = { tool: task.tool, task: task.taskId };
  const speak = () =>
    bridge.request('ui/message', { role: 'user', content: [{ type: 'text', text: t('viewTold', words) }] });
  return (
    <>
      <div class="actions">
        {phase !== 'over' && (
          <ActButton
            label={t('cancel')}
            kind="danger"
            act={() => follower.act({ action: 'stop' })}
            onFailed={setProblem}
          />
        )}
        {phase === 'over' && isHandedOver && rights.maySpeak && (
          <ActButton label={t('viewTell')} kind="primary" act={speak} onFailed={setProblem} />
        )}
      </div>
      {problem && <Problem>{problem}</Problem>}
    </>
  );
}
