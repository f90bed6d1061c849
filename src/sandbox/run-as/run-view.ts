import type { JsonObject } from '../../host/index.ts';
import type { WireMessage } from '../wire/wire-record.ts';
import type { Story } from './play.ts';
import type { PersonQuestion } from './scene.ts';

/** One event of a client, with its time in ms on the client's own clock. */
export type RunStep =
  | ({ readonly kind: 'message' } & WireMessage)
  /** A text that its model read. */
  | { readonly kind: 'read'; readonly at: number; readonly text: string; readonly isFinal: boolean }
  /** The call was answered without its result. */
  | { readonly kind: 'handed-over'; readonly at: number; readonly as: 'task' | 'words' };

export interface RunQuestion extends PersonQuestion {
  readonly key: string;
}

/** A call as another client made it. */
export interface RunView {
  readonly runId: string;
  readonly client: string;
  readonly speed: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly startedAt: number;
  readonly state: 'running' | 'ended';
  readonly end?: Story['end'] | 'error';
  /** The final text that the client got. */
  readonly text?: string;
  readonly endedAt?: number;
  readonly steps: readonly RunStep[];
  /** How many steps were dropped, from the middle. */
  readonly left: number;
  readonly questions: readonly RunQuestion[];
}
