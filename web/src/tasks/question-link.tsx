import { useState } from 'preact/hooks';
import { post } from '../live/api.ts';
import { ActButton, Problem } from '../shell/bits.tsx';
import { t } from '../shell/settings.ts';

/** Creates a link to one question, for a person who may answer it and see nothing else. */
export function QuestionLink({ taskId, questionKey }: { taskId: string; questionKey: string }) {
  const [link, setLink] = useState('');
  const [problem, setProblem] = useState('');
  const copy = async () => {
    const { path } = await post<{ path: string }>(`tasks/${encodeURIComponent(taskId)}/link`, { key: questionKey });
    const { href } = new URL(path, location.href);
    setLink(href);
    setProblem('');
    // If the browser forbids this, the user can copy the displayed link.
    await navigator.clipboard.writeText(href).catch(() => undefined);
  };
  return (
    <div class="question-link">
      <ActButton label={t('linkCopy')} act={copy} onFailed={setProblem} />
      {link && (
        <label>
          <span class="hint">{t('linkHint')}</span>
          <input type="text" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
        </label>
      )}
      {problem && <Problem>{problem}</Problem>}
    </div>
  );
}
