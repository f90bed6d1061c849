/**
 * What is known of the work of a cancelled call.
 *
 * - confirmed: the server said that it stopped the work, or has answered the call since.
 * - told:      the server was notified and has not responded.
 * - refused:   the server did not accept the cancel, or could not be reached; the work may go on.
 * - none:      there was nothing to stop: the call had ended, or was never sent.
 */
export type StoppedCall = 'confirmed' | 'told' | 'refused' | 'none';
