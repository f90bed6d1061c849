import type { Draft } from './composer.tsx';

let waiting: Draft | undefined;

/** Puts a call ready for the screen of calls, which is opened next. */
export function leaveDraft(draft: Draft): void {
  waiting = draft;
}

/** Takes it, once. */
export function takeDraft(): Draft | undefined {
  const draft = waiting;
  waiting = undefined;
  return draft;
}
