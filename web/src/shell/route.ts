import { useEffect, useState } from 'preact/hooks';

export const SCREENS = ['calls', 'tasks', 'workers', 'break', 'prompts', 'test', 'run'] as const;
export type Screen = (typeof SCREENS)[number];

export interface Route {
  readonly screen: Screen | undefined;
  /** The id of the task or other item that is open on the screen. */
  readonly id: string | undefined;
}

/** The URL hash of a screen, or of one item on it. */
export function toRoute(screen: Screen, id?: string): string {
  return id === undefined ? `#/${screen}` : `#/${screen}/${encodeURIComponent(id)}`;
}

export function go(screen: Screen, id?: string): void {
  location.hash = toRoute(screen, id).slice(1);
}

function parse(hash: string): Route {
  const [, name, id] = hash.split('/');
  return { screen: SCREENS.find((screen) => screen === name), id: id ? decode(id) : undefined };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The current route; follows the URL hash. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => parse(location.hash));
  useEffect(() => {
    const onMove = () => setRoute(parse(location.hash));
    addEventListener('hashchange', onMove);
    return () => removeEventListener('hashchange', onMove);
  }, []);
  return route;
}
