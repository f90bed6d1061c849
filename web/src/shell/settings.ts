import { useEffect, useState } from 'preact/hooks';
import { EN, type TextKey, type Texts } from '../texts/en.ts';
import { ZH } from '../texts/zh.ts';

export type Language = 'en' | 'zh';
export type Theme = 'system' | 'light' | 'dark';

const TEXTS: Readonly<Record<Language, Texts>> = { en: EN, zh: ZH };
const listeners = new Set<() => void>();

let language = readLanguage();
let theme = readTheme();

function readLanguage(): Language {
  const kept = read('language');
  if (kept === 'en' || kept === 'zh') return kept;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

function readTheme(): Theme {
  const kept = read('theme');
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Returns null if the browser's storage is not available. */
function read(name: string): string | null {
  try {
    return localStorage.getItem(`holdfast.${name}`);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`holdfast.${name}`, value);
  } catch {
    // Not stored, so the setting lasts until the page is closed.
  }
}

export { read as readKept };

function show(): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  document.documentElement.dataset.theme = theme;
}

export function setLanguage(next: Language): void {
  language = next;
  keep('language', next);
  change();
}

export function setTheme(next: Theme): void {
  theme = next;
  keep('theme', next);
  change();
}

function change(): void {
  show();
  for (const listener of [...listeners]) listener();
}

show();

/** The user's settings, and the texts in their language. */
export function useSettings(): { language: Language; theme: Theme; t: typeof t } {
  const [, render] = useState(0);
  useEffect(() => {
    const listener = () => render((count) => count + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return { language, theme, t };
}

/** A text in the page's language; `{name}` is replaced with a value. */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return TEXTS[language][key].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
