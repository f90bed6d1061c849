/**
 * What is known of the work of a call that was cancelled.
 *
 * - confirmed: the server has said that it stopped it, or has answered the call since.
 * - told:      the server was told, and has said nothing.
 * - refused:   the server did not take the cancel, or could not be told; the work may go on.
 * - none:      there was nothing to stop: it had ended, or was never sent.
 */
export type StoppedCall = 'confirmed' | 'told' | 'refused' | 'none';
