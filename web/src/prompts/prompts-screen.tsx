import { useEffect, useState } from 'preact/hooks';
import type { ListedPrompt } from '../../../src/sandbox/prompts/prompt-log-view.ts';
import { get } from '../live/api.ts';
import { live } from '../live/live.ts';
import { Empty } from '../shell/bits.tsx';
import { t } from '../shell/settings.ts';
import { PromptCard } from './prompt-card.tsx';

interface Prompts {
  readonly prompts: readonly ListedPrompt[];
  readonly skippedLines: number;
}

/** The prompts of apps, with their responses. */
function usePrompts(): Prompts | undefined {
  const [seen, setSeen] = useState<Prompts>();
  useEffect(() => {
    const read = () => get<Prompts>('prompts').then(setSeen, () => undefined);
    void read();
    return live.on('prompts', () => void read());
  }, []);
  return seen;
}

/** The panel of prompts. */
export function PromptsScreen() {
  const seen = usePrompts();
  if (!seen) return <Empty title={t('loading')} />;
  const pending = seen.prompts.filter(({ response }) => response === undefined);
  const answered = seen.prompts.filter(({ response }) => response !== undefined);
  return (
    <div class="page page-narrow">
      <h2>
        {t('pendingPrompts')} <span class="muted">{pending.length}</span>
      </h2>
      {seen.prompts.length === 0 && (
        <Empty title={t('noPrompts')} hint={t('noPromptsHint', { path: 'ui-prompts.jsonl' })} />
      )}
      <PromptCards prompts={pending} />
      {seen.skippedLines > 0 && <p class="hint">{t('skippedLines', { n: seen.skippedLines })}</p>}
      {answered.length > 0 && (
        <h2>
          {t('answeredPrompts')} <span class="muted">{answered.length}</span>
        </h2>
      )}
      <PromptCards prompts={answered} />
    </div>
  );
}

function PromptCards({ prompts }: { prompts: readonly ListedPrompt[] }) {
  return (
    <div class="cards">
      {prompts.slice(0, 200).map((prompt) => (
        <PromptCard key={`${prompt.requestId} ${prompt.response === undefined}`} listed={prompt} />
      ))}
    </div>
  );
}
