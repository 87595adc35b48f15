import { transaction, type Context } from '../../service/context.ts';
import { notificationEvents } from '../../contract/notifications/events.ts';
import { publishAll, said, type Said } from '../../platform/realtime/publish.ts';
import { scheduled } from '../../service/scheduled.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';
import type { NotificationRow } from '../../platform/store/tables/notifications.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { hiddenBy, hiddenOf, withSeenActors } from './seeing.ts';
import { shown, tellCount, topicOf } from './telling.ts';

const KIND = 'notification-hidden';
/** The latest are in what a client shows. It reads the others anew. */
const MOST_TOLD = 100;
/** Notifications that one look reads, whoever caused them. */
const WINDOW = 500;

/**
 * After a member lost sight of something: has the member's clients told, after the commit, which notifications are hidden now.
 * @param actorId if it is what one member does: of groups that others are left of, who is left is told too
 */
export async function planHidden(tx: Context, memberId: string, actorId?: string): Promise<void> {
  const now = tx.clock.now();
  const id = actorId === undefined ? `${KIND}/${memberId}` : `${KIND}/${memberId}/${actorId}`;
  await planJob(tx.db, { id, kind: KIND, payload: { memberId, actorId }, runAt: now, now });
}

/** What was hidden before is told again, because nothing keeps what was told. */
export const hiddenHandler = scheduled(async (tx, payload) => {
  const { memberId, actorId } = payload as { readonly memberId: string; readonly actorId?: string };
  const gone = (await hiddenOf(tx, memberId, MOST_TOLD)).map(goneSaid);
  const rows = actorId === undefined ? [] : await hiddenBy(tx, actorId, { only: memberId });
  const left = await withSeenActors(tx, rows.filter(isGroup).slice(0, MOST_TOLD));
  await tellAll(tx, memberId, [...gone, ...left.map(leftSaid)]);
});

const lastOfWindow = writtenQuery<{ id: string }>(
  `select recipient_id as id from notifications where recipient_id > $1 order by recipient_id limit 1 offset ${WINDOW - 1}`,
);

/**
 * After fewer members may see what one member does: tells some of those members which notifications are hidden now, and of groups who is
 * left. It makes a transaction only where there is something to tell.
 * @param after '' at the beginning, and then what the last call returned
 * @returns undefined at the end
 */
export async function tellHiddenBy(ctx: Context, actorId: string, after: string): Promise<string | undefined> {
  const until = (await ctx.db.executeQuery(lastOfWindow(after))).rows[0]?.id;
  const find = async (asked: Context) => await hiddenBy(asked, actorId, { after, until });
  if ((await find(ctx)).length > 0)
    await transaction(ctx, async (tx) => {
      for (const [memberId, rows] of byRecipient(await find(tx)))
        await tellAll(tx, memberId, await changesOf(tx, rows));
    });
  return until;
}

function byRecipient(rows: readonly NotificationRow[]): Map<string, NotificationRow[]> {
  const found = new Map<string, NotificationRow[]>();
  for (const row of rows) {
    const own = found.get(row.recipient_id);
    if (own === undefined) found.set(row.recipient_id, [row]);
    else if (own.length < MOST_TOLD) own.push(row);
  }
  return found;
}

/** @param rows of one member, in each of which an actor is hidden */
async function changesOf(tx: Context, rows: readonly NotificationRow[]): Promise<Said[]> {
  const left = await withSeenActors(tx, rows.filter(isGroup));
  const kept = new Map(left.map((row) => [row.id, leftSaid(row)]));
  return rows.map(({ id }) => kept.get(id) ?? goneSaid(id));
}

function isGroup({ actors }: NotificationRow): boolean {
  return actors !== null;
}

function goneSaid(notificationId: string): Said {
  return said(notificationEvents.deleted, { notificationId });
}

function leftSaid(row: NotificationRow): Said {
  return said(notificationEvents.created, { notification: shown(row) });
}

async function tellAll(tx: Context, memberId: string, changes: readonly Said[]): Promise<void> {
  if (changes.length === 0) return;
  await publishAll(tx, topicOf(memberId), changes);
  await tellCount(tx, memberId);
}
