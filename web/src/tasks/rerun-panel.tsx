import { useState } from 'preact/hooks';
import type { TaskSummary } from '../../../src/dashboard/task-summary.ts';
import type { EventGap, TaskEvent } from '../../../src/task/event.ts';
import type { Task } from '../../../src/task/record.ts';
import { storeDraft } from '../calls/draft.ts';
import { JsonEditor } from '../calls/json-editor.tsx';
import { asObject, type Json, type JsonObject } from '../form/schema.ts';
import { post } from '../live/api.ts';
import { live } from '../live/live.ts';
import { ActButton, Problem } from '../shell/bits.tsx';
import { go } from '../shell/route.ts';
import { t } from '../shell/settings.ts';
import { toInput } from './task-input.ts';

export interface RerunPanelProps {
  readonly task: Task;
  readonly events: readonly (TaskEvent | EventGap)[];
}

/** Reruns a task: from the beginning, optionally with changed arguments, or from one of its steps. */
export function RerunPanel({ task, events }: RerunPanelProps) {
  const input = toInput(task);
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  const [args, setArgs] = useState<JsonObject>(() => asObject(input));
  const [fault, setFault] = useState('');
  const [fromStep, setFrom] = useState('');
  const [problem, setProblem] = useState('');
  const steps = events.flatMap((event) => (event.type === 'stepped' ? [event.name] : []));
  const isChanged = isObject && JSON.stringify(args) !== JSON.stringify(input);
  const run = async () => {
    setProblem('');
    const changes = fromStep === '' ? (isChanged ? { args } : {}) : { fromStep };
    const path = `tasks/${encodeURIComponent(task.taskId)}/rerun`;
    const { task: made } = await post<{ task: TaskSummary }>(path, changes);
    go('tasks', made.taskId);
  };
  return (
    <section class="card rerun" aria-label={t('rerun')}>
      {steps.length > 0 && <StepPicker steps={steps} chosen={fromStep} onChoose={setFrom} />}
      {isObject && fromStep === '' && <JsonEditor value={args} onChange={setArgs} onFault={setFault} />}
      {!task.idempotent && <p class="hint">{t('rerunTwice')}</p>}
      {problem && <Problem>{problem}</Problem>}
      <div class="actions">
        <ActButton label={t('rerunNow')} kind="primary" act={run} onFailed={setProblem} isDisabled={fault !== ''} />
        <FormButton tool={task.tool} input={input} />
      </div>
    </section>
  );
}

function StepPicker(props: { steps: readonly string[]; chosen: string; onChoose: (step: string) => void }) {
  const { steps, chosen, onChoose } = props;
  return (
    <div class="field">
      <label for="rerun-from">
        <span class="field-name">{t('rerunFrom')}</span>
      </label>
      <select id="rerun-from" value={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        <option value="">{t('rerunStart')}</option>
        {steps.map((step) => (
          <option key={step} value={step}>
            {t('step', { name: step })}
          </option>
        ))}
      </select>
      {chosen !== '' && <p class="hint">{t('rerunKept', { n: steps.indexOf(chosen) })}</p>}
    </div>
  );
}

/** Opens the tool's form with the same arguments, on pages where calls can be made. */
function FormButton({ tool, input }: { tool: string; input: Json }) {
  const server = live.servers.find(({ isGateway }) => isGateway);
  if (!server?.tools.some(({ name }) => name === tool)) return null;
  const open = () => {
    storeDraft({ server: server.name, tool, args: asObject(input) });
    go('calls');
  };
  return (
    <button type="button" class="button" onClick={open}>
      {t('rerunForm')}
    </button>
  );
}
