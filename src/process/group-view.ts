/**
 * Determines which live processes belong to a group that `spawnGated` started, and whether the group is still that one.
 *
 * The system does not reuse a pid while a process group or session has its number. So:
 * - a leader (zombie or not) with our start time: the group is ours;
 * - a leader with another start time: ours is gone, and the number belongs to another process;
 * - no leader: ours if a member carries the group's marker in the environment it was started with; gone if no member is in the
 *   session that our leader opened; otherwise unclear, and the group may not be signalled.
 *
 * On Linux the whole session counts, so that a shell with job control does not hide its jobs. A program that opens a session of
 * its own (a daemon) leaves the group on purpose and is left running, unless the group was started as a whole tree: then every
 * process counts that was started with the tree's mark in its environment.
 */
import { currentHost, type ProcessRef } from './process-ref.ts';
import { hasVariable, listProcesses, type ProcessEntry, readBootId } from './process-table.ts';

export type GroupView =
  | { readonly state: 'gone' }
  | { readonly state: 'unclear' }
  /** The process groups to signal. */
  | { readonly state: 'ours'; readonly groups: readonly number[] };

/** Set in every gated program and inherited by its child processes. */
export const GROUP_VARIABLE = 'HOLDFAST_GROUP';

/**
 * Set as well in programs started as a whole tree, to the same value. Programs meant to outlive the tree are started without it.
 */
export const TREE_VARIABLE = 'HOLDFAST_TREE';

/** Returns the value of the marker; it is derived from the reference, so that recovery needs to store nothing more. */
export function toMarker(ref: ProcessRef): string {
  return `${ref.pid}@${ref.startTime}`;
}

/** Checks a group now. Several groups can share one listing of all processes, which is the most expensive part. */
export function viewGroup(ref: ProcessRef, listed: readonly ProcessEntry[] = listProcesses()): GroupView {
  if (ref.host !== currentHost() || !Number.isInteger(ref.pid) || ref.pid <= 1) return { state: 'unclear' };
  if (isFromOtherBoot(ref)) return { state: 'gone' };
  const view = judge(ref, listed);
  // Members may have ended between the listing and the check of their environment.
  return addStrays(view.state === 'unclear' ? judge(ref, listProcesses()) : view, ref, listed);
}

function isFromOtherBoot(ref: ProcessRef): boolean {
  return process.platform === 'linux' && ref.startTime !== '' && !ref.startTime.startsWith(`${readBootId()}/`);
}

function judge(ref: ProcessRef, listed: readonly ProcessEntry[]): GroupView {
  const entries = listed.filter(({ group, session }) => group === ref.pid || session === ref.pid);
  const members = entries.filter(({ ended }) => !ended);
  if (members.length === 0) {
    // A group that exists but has no entry is hidden from this user.
    return { state: entries.length > 0 || !isGroupTaken(ref.pid) ? 'gone' : 'unclear' };
  }
  if (ref.startTime === '') return { state: 'unclear' };
  const leader = entries.find(({ pid }) => pid === ref.pid);
  if (leader !== undefined && leader.startTime !== ref.startTime) return { state: 'gone' };
  if (leader !== undefined || members.some(({ pid }) => hasVariable(pid, GROUP_VARIABLE, toMarker(ref)))) {
    return { state: 'ours', groups: [...new Set(members.map(({ group }) => group))] };
  }
  return { state: members.every((member) => isOutsideSession(member, ref.pid)) ? 'gone' : 'unclear' };
}

/**
 * Adds groups of the tree in sessions of their own. They may be signalled whatever happened to the leader: each carries the mark.
 */
function addStrays(view: GroupView, ref: ProcessRef, listed: readonly ProcessEntry[]): GroupView {
  const strays = listed.filter((entry) => isStray(entry, ref));
  if (strays.length === 0) return view;
  const known = view.state === 'ours' ? view.groups : [];
  return { state: 'ours', groups: [...new Set([...known, ...strays.map(({ group }) => group)])] };
}

function isStray({ pid, session, startTime, ended }: ProcessEntry, ref: ProcessRef): boolean {
  // Kernel threads have no session of their own.
  if (ended || !session || session === ref.pid || ref.startTime === '') return false;
  // Avoids reading the environment of nearly every process: a leader is older than the processes it starts.
  return toTicks(startTime) >= toTicks(ref.startTime) && hasVariable(pid, TREE_VARIABLE, toMarker(ref)) === true;
}

function toTicks(startTime: string): number {
  return Number(startTime.slice(startTime.indexOf('/') + 1));
}

function isOutsideSession(member: ProcessEntry, session: number): boolean {
  return member.session !== undefined && member.session !== session;
}

function isGroupTaken(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
