import { useEffect, useReducer, useState } from 'preact/hooks';
import { live } from './live.ts';

/** Re-renders the component after each event. */
export function useLive(): typeof live {
  const [, render] = useReducer((count: number, _: undefined) => count + 1, 0);
  useEffect(() => live.onRender(() => render(undefined)), []);
  return live;
}

const TICK_MS = 250;

/** The server's time; it ticks only while `isMoving`, and costs nothing otherwise. */
export function useNow(isMoving: boolean): number {
  const [now, setNow] = useState(() => live.now());
  useEffect(() => {
    setNow(live.now());
    if (!isMoving) return;
    const timer = setInterval(() => setNow(live.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isMoving]);
  return isMoving ? now : Math.max(now, live.now());
}
