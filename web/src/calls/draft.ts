import type { Draft } from './composer.tsx';

let waiting: Draft | undefined;

/** Stores a call for the next screen that opens with a form. */
export function storeDraft(draft: Draft): void {
  waiting = draft;
}

/** Returns the stored call and clears it. */
export function takeDraft(): Draft | undefined {
  const draft = waiting;
  waiting = undefined;
  return draft;
}
