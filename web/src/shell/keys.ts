import { useEffect } from 'preact/hooks';
import { go, type Screen } from './route.ts';

/** Keyboard shortcuts: digits open screens, `/` focuses the search, `?` shows the shortcuts. Ignored while the user types. */
export function useKeys(screens: readonly Screen[], onHelp: () => void): void {
  const names = screens.join(' ');
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isForOthers(event)) return;
      const screen = /^[1-9]$/.test(event.key) ? screens[Number(event.key) - 1] : undefined;
      if (screen) go(screen);
      else if (event.key === '?') onHelp();
      else if (event.key === '/') focusSearch(event);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [names]);
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLElement>('input[type=search]');
  if (!field) return;
  event.preventDefault();
  field.focus();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}

/** Whether a key belongs to the browser or to a text that is being typed. */
function isForOthers({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey || isTyping(target);
}
