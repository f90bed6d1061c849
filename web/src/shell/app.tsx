import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { BreakScreen } from '../break/break-screen.tsx';
import { CallsScreen } from '../calls/calls-screen.tsx';
import { useLive } from '../live/use-live.ts';
import { PromptsScreen } from '../prompts/prompts-screen.tsx';
import { TestScreen } from '../prompts/test-screen.tsx';
import { RunScreen } from '../run-as/run-screen.tsx';
import { TasksScreen } from '../tasks/tasks-screen.tsx';
import type { TextKey } from '../texts/en.ts';
import { WorkersScreen } from '../workers/workers-screen.tsx';
import { Empty } from './bits.tsx';
import { useKeys } from './keys.ts';
import { KeysDialog } from './keys-dialog.tsx';
import { type Screen, toRoute, useRoute } from './route.ts';
import { setLanguage, setTheme, type Theme, useSettings } from './settings.ts';

interface ShownScreen {
  readonly screen: Screen;
  readonly title: TextKey;
  readonly isForSandbox: boolean;
}

const ALL: readonly ShownScreen[] = [
  { screen: 'calls', title: 'calls', isForSandbox: true },
  { screen: 'tasks', title: 'tasks', isForSandbox: false },
  { screen: 'workers', title: 'workers', isForSandbox: false },
  { screen: 'break', title: 'breakIt', isForSandbox: true },
  { screen: 'prompts', title: 'prompts', isForSandbox: true },
  { screen: 'test', title: 'mcpTest', isForSandbox: true },
  { screen: 'run', title: 'runAs', isForSandbox: true },
];

/** The whole page. */
export function App() {
  const { features, link } = useLive();
  const { t } = useSettings();
  const { screen: wanted, id } = useRoute();
  const [isHelp, setHelp] = useState(false);
  const screens = ALL.filter(({ isForSandbox }) => !isForSandbox || features?.mode === 'sandbox');
  const current = screens.find(({ screen }) => screen === wanted) ?? screens[0];
  useKeys(
    screens.map(({ screen }) => screen),
    () => setHelp(true),
  );
  useEffect(() => {
    document.title = current && features ? `${t(current.title)} · Holdfast` : 'Holdfast';
  });
  const isKnown = features !== undefined;
  return (
    <>
      <a class="skip" href="#main">
        {t('skip')}
      </a>
      <Header screens={isKnown ? screens : []} current={current?.screen} onHelp={() => setHelp(true)} />
      {link === 'lost' && <Banner>{t('lost')}</Banner>}
      {link === 'refused' && <Banner>{t('refused')}</Banner>}
      <main id="main" tabIndex={0}>
        {isKnown && current ? <ScreenView screen={current.screen} id={id} /> : <Empty title={t('connecting')} />}
      </main>
      {isHelp && <KeysDialog onClose={() => setHelp(false)} />}
    </>
  );
}

function Banner({ children }: { children: ComponentChildren }) {
  return (
    <p class="banner" role="status">
      {children}
    </p>
  );
}

function ScreenView({ screen, id }: { screen: Screen; id: string | undefined }) {
  switch (screen) {
    case 'calls':
      return <CallsScreen />;
    case 'tasks':
      return <TasksScreen taskId={id} />;
    case 'workers':
      return <WorkersScreen />;
    case 'break':
      return <BreakScreen />;
    case 'prompts':
      return <PromptsScreen />;
    case 'test':
      return <TestScreen />;
    case 'run':
      return <RunScreen />;
  }
}

function Header({
  screens,
  current,
  onHelp,
}: {
  screens: readonly ShownScreen[];
  current: Screen | undefined;
  onHelp: () => void;
}) {
  const { features, link } = useLive();
  const { t } = useSettings();
  return (
    <header class="top">
      <span class="brand">
        <img src="./icon.svg" alt="" width="22" height="22" />
        <span>Holdfast</span>
        {features?.mode && <span class="mode">{t(features.mode)}</span>}
      </span>
      <nav aria-label={t('navigation')}>
        {screens.map(({ screen, title }) => (
          <a key={screen} href={toRoute(screen)} aria-current={screen === current ? 'page' : undefined}>
            {t(title)}
          </a>
        ))}
      </nav>
      <span class="grow" />
      <span class={`link-state link-${link}`}>
        <span class="dot" aria-hidden="true" />
        {t(link === 'open' ? 'connected' : link === 'refused' ? 'refused' : link === 'lost' ? 'lost' : 'connecting')}
      </span>
      <Choices onHelp={onHelp} />
    </header>
  );
}

const NEXT_THEME: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const THEME_TEXT: Readonly<Record<Theme, TextKey>> = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' };
const THEME_SIGN: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' };

function Choices({ onHelp }: { onHelp: () => void }) {
  const { theme, language, t } = useSettings();
  const text = t(THEME_TEXT[theme]);
  return (
    <span class="choices-top">
      <button type="button" class="icon" title={text} aria-label={text} onClick={() => setTheme(NEXT_THEME[theme])}>
        <span aria-hidden="true">{THEME_SIGN[theme]}</span>
      </button>
      <button type="button" class="icon" title={t('shortcuts')} aria-label={t('shortcuts')} onClick={onHelp}>
        <span aria-hidden="true">?</span>
      </button>
      <button
        type="button"
        class="icon icon-text"
        lang={language === 'en' ? 'zh-CN' : 'en'}
        onClick={() => setLanguage(language === 'en' ? 'zh' : 'en')}
      >
        {t('otherLanguage')}
      </button>
    </span>
  );
}
