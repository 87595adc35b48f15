import type { Context } from '../../../service/context.ts';
import { notify } from '../../../shared/notifications/notify.ts';
import type { HubRow } from '../../../platform/store/tables/hubs.ts';

/** Characters of a reason that stand in a notification. */
const QUOTED = 200;

interface Measure {
  readonly subjectId: string;
  readonly reason?: string | undefined;
  readonly endsAt?: number | undefined;
}

/** Notifies a member of a ban. It says nothing of the moderator, who acts for the hub. */
export async function noticeBan(tx: Context, hub: HubRow, { subjectId, ...why }: Measure): Promise<void> {
  const until = why.endsAt === undefined ? '' : ` until ${new Date(why.endsAt).toISOString()}`;
  await notice(tx, hub, subjectId, `You were banned from the hub ${hub.name}${until}${because(why.reason)}.`);
}

export async function noticeWarning(tx: Context, hub: HubRow, { subjectId, reason }: Measure): Promise<void> {
  await notice(tx, hub, subjectId, `You were warned in the hub ${hub.name}${because(reason)}.`);
}

/** Says nothing of the post, which may be gone by then. */
export async function noticeRemoval(tx: Context, hub: HubRow, authorId: string): Promise<void> {
  await notice(tx, hub, authorId, `A post of yours was removed from the hub ${hub.name}.`);
}

async function notice(tx: Context, hub: HubRow, recipientId: string, content: string): Promise<void> {
  await notify(tx, { recipientId, type: 'hub_moderation', targetId: hub.id, content });
}

function because(reason: string | undefined): string {
  if (reason === undefined) return '';
  const line = reason.replaceAll(/\s+/g, ' ').trim();
  // Half of a letter is none.
  const cut = line.length <= QUOTED ? line : `${line.slice(0, QUOTED).replace(/\p{Surrogate}$/u, '')}…`;
  return `: “${cut}”`;
}
