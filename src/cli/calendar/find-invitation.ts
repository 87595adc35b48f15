import { perform, type Caller } from '../../client/perform.ts';
import { calendar } from '../../contract/calendar.ts';
import type { Invitation } from '../../contract/calendar/invitations.ts';

/** Invitations of any status, the latest first. */
export async function collectInvitations(caller: Caller, status: Invitation['status'] | 'all'): Promise<Invitation[]> {
  const found: Invitation[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await perform(caller, calendar.listInvitations, {
      status,
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...page.invitations);
    cursor = page.nextCursor ?? undefined;
    if (cursor === undefined) return found;
  }
}

/** The invitation that waits whose id begins so; an event has its own id. */
export async function waitingInvitation(caller: Caller, text: string): Promise<Invitation | undefined> {
  const part = text.toLowerCase();
  if (part.length < 8) return undefined;
  const matching = (await collectInvitations(caller, 'all')).filter(({ id, waits }) => waits && id.startsWith(part));
  return matching.length === 1 ? matching[0] : undefined;
}
