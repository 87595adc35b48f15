import type { LeavingState } from '../../contract/chat/leaving.ts';

/** What is left of leaving all conversations, in words. */
export function leavingState({ leaving, conversations }: LeavingState): string {
  const of = conversations === 1 ? '1 conversation' : `${conversations} conversations`;
  if (leaving) return `You are leaving: ${of} to go. conclave chat leave shows what is left.`;
  return `You have something in ${of}. To leave all of them: conclave chat leave --all`;
}
