import { useEffect, useState } from 'preact/hooks';
import type { LinkState } from '../../../src/dashboard/links/answer-links.ts';
import { fromTask, type QuestionAnswer, QuestionCard } from '../calls/question-card.tsx';
import { post, toMessage } from '../live/api.ts';
import { Empty, Problem } from '../shell/bits.tsx';
import { setLanguage, useSettings } from '../shell/settings.ts';
import type { TextKey } from '../texts/en.ts';

type Shown = LinkState | { readonly state: 'loading' | 'thanks' };

const TITLES: Readonly<Record<Exclude<Shown['state'], 'open'>, TextKey>> = {
  loading: 'loading',
  thanks: 'answerThanks',
  answered: 'answerAnswered',
  over: 'answerOver',
  unknown: 'answerUnknown',
};

/** The page with one question, for a person who was sent its link. */
export function AnswerPage({ token }: { token: string }) {
  const { t, language } = useSettings();
  const [shown, setShown] = useState<Shown>({ state: 'loading' });
  const [problem, setProblem] = useState('');
  const look = async () => {
    try {
      setShown(await post<LinkState>('look', { token }));
      setProblem('');
    } catch (error) {
      setProblem(toMessage(error));
    }
  };
  useEffect(() => void look(), [token]);
  useEffect(() => {
    document.title = `${t('question')} · Holdfast`;
  });
  const answer = async ({ action, content }: QuestionAnswer) => {
    const after = await post<LinkState>('answer', { token, action, ...(content && { content }) });
    setShown(after.state === 'answered' ? { state: 'thanks' } : after);
  };
  return (
    <main class="answer-page" data-state={shown.state}>
      {shown.state === 'open' ? (
        <>
          <QuestionCard question={fromTask(shown.question)} answer={answer} />
          <p class="hint">{t('answerOnce')}</p>
        </>
      ) : (
        <Empty title={t(TITLES[shown.state])} />
      )}
      {problem && <Problem>{problem}</Problem>}
      <button
        type="button"
        class="link"
        lang={language === 'en' ? 'zh-CN' : 'en'}
        onClick={() => setLanguage(language === 'en' ? 'zh' : 'en')}
      >
        {t('otherLanguage')}
      </button>
    </main>
  );
}
