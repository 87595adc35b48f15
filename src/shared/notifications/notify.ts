import type { NewNotification } from '../../service/ports/notification-rules.ts';
import type { Context } from '../../service/context.ts';
import { notificationLimits } from '../../contract/notifications/limits.ts';
import { recordId } from '../../platform/store/record-id.ts';
import type { NotificationPreferencesRow, NotificationRow } from '../../platform/store/tables/notifications.ts';
import { insertRows, writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { groupKeyOf, joinGroups } from './groups.ts';
import { planDeliveries } from './held.ts';
import { notToldBefore } from './once.ts';
import { digestJobId, planDigests } from './digests/plan.ts';
import { nextPush, planPushes } from './push/plan.ts';
import { asSeen, withSeenActors } from './seeing.ts';
import { tellChange, tellNewCounted } from './telling.ts';
import { categoryOfType, waitsUntil, wantedChannels } from './wishes.ts';

/**
 * Notifies a member, in the transaction of what happened. Of one type and one target within an hour there is one notification. Whoever
 * has quiet hours or Do Not Disturb gets it at the end of them.
 *
 * @returns the notification, or undefined if there is none: the member does not want it, caused it, was told before, or is none of this
 *   node
 */
export async function notify(tx: Context, wanted: NewNotification): Promise<NotificationRow | undefined> {
  const [row] = await notifyEach(tx, [wanted.recipientId], wanted);
  return row;
}

/** The same for every recipient. */
export type ManyNotified = Omit<NewNotification, 'recipientId'>;

/**
 * The same for several members, with about as many statements as for one. What one of them makes fail fails for all.
 * @param memberIds different ones, at most 256, as many as `publishToEach` takes
 * @returns the notifications of those who got one, in the order of their ids
 */
export async function notifyEach(
  tx: Context,
  memberIds: readonly string[],
  wanted: ManyNotified,
): Promise<NotificationRow[]> {
  const others = memberIds.filter((id) => id !== wanted.actorId);
  const wanting = (await recipientsOf(tx, others)).flatMap((one) => wantedBy(tx, one, wanted) ?? []);
  const notices = wanted.once === true ? await withoutTold(tx, wanting, wanted) : wanting;
  if (notices.length === 0) return [];
  const now = tx.clock.now();
  const joined = wanted.alone === true ? new Map<string, NotificationRow>() : await joinGroups(tx, wanted, notices);
  const all = notices.map((notice) => {
    const row = joined.get(notice.recipientId) ?? newRow(tx, wanted, notice);
    const pushAt = notice.pushes && notice.until === undefined ? nextPush(row, now) : undefined;
    return { notice, pushAt, row: pushAt === undefined ? row : { ...row, pushed_at: pushAt } };
  });
  const rows = all.map(({ row }) => row);
  await insertRows(tx.db, 'notifications', rows, joined.size === 0 ? '' : joining);
  for (const { notice, row } of all)
    if (!joined.has(notice.recipientId)) await dropOldest(tx, notice.recipientId, row.id, notice.kept + 1);
  await tell(
    tx,
    rows.filter((row) => row.held === 0),
    joined,
  );
  await planDeliveries(
    tx,
    notices.flatMap(({ recipientId: memberId, until }) => (until === undefined ? [] : [{ memberId, until }])),
  );
  await planPushes(
    tx,
    all.flatMap(({ row, pushAt }) => (pushAt === undefined ? [] : [row])),
  );
  const digested = all.filter(
    ({ notice, row }) => notice.until === undefined && row.digest === 1 && notice.digests === 0,
  );
  await planDigests(
    tx,
    digested.map(({ notice }) => notice.recipientId),
  );
  return rows;
}

type Found = NotificationPreferencesRow | { readonly member_id: null };

interface Recipient {
  readonly id: string;
  readonly subscriptions: number;
  /** of notifications of theirs that there are */
  readonly kept: number;
  /** planned ones: one or none */
  readonly digests: number;
}

const recipientsBy = writtenList<Found & Recipient>(
  0,
  (members) => `
  select p.*, m.id, (select count(*) from push_subscriptions s where s.member_id = m.id) as subscriptions,
    (select count(*) from notifications n where n.recipient_id = m.id) as kept,
    (select count(*) from jobs j where j.id = '${digestJobId('')}' || m.id) as digests
  from members m left join notification_preferences p on p.member_id = m.id where m.id in ${members} order by m.id`,
);
const forget = writtenQuery('delete from notifications where id = $1');
const oldestOf = (where = '') =>
  writtenQuery<NotificationRow>(`
    select * from notifications where recipient_id = $1 and id != $2 ${where}
    order by is_read desc, updated_at, id limit $3`);
const oldestOfAll = oldestOf();
// Whoever has taken an account cannot push out what its member has to read.
const oldestOfOthers = oldestOf(`and (is_read = 1 or type != 'security_alert')`);

/** Without somebody who is no member, such as the operator of the node. */
async function recipientsOf(tx: Context, memberIds: readonly string[]): Promise<(Found & Recipient)[]> {
  return memberIds.length === 0 ? [] : (await tx.db.executeQuery(recipientsBy(memberIds))).rows;
}

interface Notice extends Pick<Recipient, 'kept' | 'digests'>, Pick<NotificationRow, 'held' | 'digest'> {
  readonly recipientId: string;
  /** until when it waits, in milliseconds since 1970; undefined if it does not */
  readonly until: number | undefined;
  readonly pushes: boolean;
}

/** @returns undefined if the member wants it nowhere */
function wantedBy(tx: Context, found: Found & Recipient, { type, late = false }: ManyNotified): Notice | undefined {
  const { id: recipientId, kept, digests } = found;
  const preferences = found.member_id === null ? undefined : found;
  const channels = wantedChannels(tx.config, preferences, type);
  const pushes = !late && channels.has('push') && found.subscriptions > 0;
  if (!channels.has('in_app') && !channels.has('email') && !pushes) return undefined;
  const until = waitsUntil(preferences, type, tx.clock.now());
  const held = until !== undefined ? 1 : channels.has('in_app') ? 0 : 2;
  return { recipientId, kept, digests, until, held, pushes, digest: !late && channels.has('email') ? 1 : 0 };
}

/** What came back after it was taken back is in the list again, and interrupts nobody again. */
async function withoutTold(tx: Context, notices: readonly Notice[], wanted: ManyNotified): Promise<Notice[]> {
  if (notices.length === 0) return [];
  const before = await notToldBefore(
    tx,
    wanted,
    notices.map(({ recipientId }) => recipientId),
  );
  return notices.flatMap((notice) => {
    const was = before.get(notice.recipientId);
    if (was === undefined) return [];
    return [was === 'never' ? notice : { ...notice, pushes: false, digest: 0 }];
  });
}

function newRow(tx: Context, wanted: ManyNotified, { recipientId, held, digest }: Notice): NotificationRow {
  const now = tx.clock.now();
  const id = recordId(now, tx.random);
  return {
    id,
    recipient_id: recipientId,
    type: wanted.type,
    category: categoryOfType(wanted.type),
    actor_id: wanted.actorId ?? null,
    target_id: wanted.targetId ?? null,
    group_key: groupKeyOf(wanted) ?? id,
    content: wanted.content,
    count: 1,
    is_read: 0,
    held,
    created_at: now,
    updated_at: now,
    actors: null,
    actor_count: wanted.actorId === undefined ? 0 : 1,
    digest,
    pushed_at: null,
  };
}

const changing = ['actor_id', 'content', 'updated_at', 'actors', 'actor_count', 'digest', 'pushed_at'];
/** New rows and those that were joined are written together. */
const joining = `on conflict (id) do update set count = notifications.count + 1, ${changing
  .map((name) => `${name} = excluded.${name}`)
  .join(', ')}`;

/** @param joined by recipients */
async function tell(
  tx: Context,
  rows: readonly NotificationRow[],
  joined: ReadonlyMap<string, NotificationRow>,
): Promise<void> {
  // Others in a group may be hidden from the recipient by now. Its last one acts at this moment.
  const groups = rows.filter((row) => joined.has(row.recipient_id));
  const seen = new Map((await withSeenActors(tx, groups)).map((row) => [row.id, row]));
  await tellNewCounted(
    tx,
    rows.map((row) => seen.get(row.id) ?? row),
  );
}

/** Nobody reads so many. Read ones go before unread ones, the oldest first. */
async function dropOldest(tx: Context, recipientId: string, newest: string, kept: number): Promise<void> {
  if (kept <= notificationLimits.kept) return;
  const more = kept - notificationLimits.kept;
  let { rows: oldest } = await tx.db.executeQuery(oldestOfOthers(recipientId, newest, more));
  if (oldest.length === 0) ({ rows: oldest } = await tx.db.executeQuery(oldestOfAll(recipientId, newest, more)));
  for (const row of oldest) {
    const isTold = row.held === 0 && (await asSeen(tx, row)) !== undefined;
    await tx.db.executeQuery(forget(row.id));
    if (isTold) await tellChange(tx, recipientId, 'deleted', row.id);
  }
}
