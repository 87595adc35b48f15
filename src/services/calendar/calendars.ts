import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { Calendar, calendars } from '../../contract/calendar/calendars.ts';
import { calendarLimits } from '../../contract/calendar/limits.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { Problem } from '../../base/problem.ts';
import { lockMembers } from '../../platform/store/member-storage.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { once } from '../../service/repeats.ts';
import { forgetChosen } from '../../shared/dav/collections.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { calendarsOf, requireCalendar, type OpenCalendar } from './access.ts';
import { planErasing } from './erasing.ts';
import { planNewZone } from './objects/horizon.ts';
import { defaultCalendar, insertCalendar, makeDefault } from './own-calendars.ts';
import { requireAddress } from './subscriptions/address.ts';
import { follow, followingOf, neverDefault, subscriptionSeen } from './subscriptions/of-calendar.ts';
import { addSubscription, assertRoomForSubscription, endSubscription } from './subscriptions/planning.ts';
import { subscriptionsOf } from './subscriptions/rows.ts';
import { requireZone, zoneOfMember } from './zones.ts';

type Contract = typeof calendars;

const count = writtenQuery<{ count: number }>('select count(*) as count from calendars where owner_id = $1');

export async function createCalendar(
  ctx: Context,
  actor: Actor,
  input: InputOf<Contract['createCalendar']>,
): Promise<ReplyOf<Contract['createCalendar']>> {
  const { memberId } = actor;
  const { displayName: name, color, description: about, timezone, isDefault = false } = input;
  const zone = timezone === undefined ? await zoneOfMember(ctx, memberId) : requireZone(timezone, 'timezone');
  const following = await followingOf(ctx, input);
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    return await once(tx, async () => {
      // Two requests at once count one after the other.
      await lockMembers(tx, [memberId]);
      await defaultCalendar(tx, memberId);
      const { rows } = await tx.db.executeQuery(count(memberId));
      if ((rows[0]?.count ?? 0) >= calendarLimits.calendars)
        throw new Problem(
          'conflict',
          'CALENDARS_FULL',
          `You have ${calendarLimits.calendars} calendars, the most there can be. Delete one first.`,
        );
      if (following !== undefined) await assertRoomForSubscription(tx, memberId);
      const subscribed = following === undefined ? 0 : 1;
      const row = await insertCalendar(tx, { owner_id: memberId, name, color, about, zone, subscribed });
      if (isDefault) await makeDefault(tx, row);
      if (following !== undefined) await addSubscription(tx, row, following);
      const opened = { ...row, is_default: isDefault ? 1 : 0, permission: 'owner' } as const;
      return { calendar: await toCalendar(tx, actor, opened) };
    });
  });
}

export async function listCalendars(ctx: Context, actor: Actor): Promise<ReplyOf<Contract['listCalendars']>> {
  const { memberId } = actor;
  await defaultCalendar(ctx, memberId);
  const all = await calendarsOf(ctx, memberId);
  const names = new Intl.Collator('en', { numeric: true });
  const rank = ({ permission }: OpenCalendar) => (permission === 'owner' ? 0 : 1);
  const sorted = all.toSorted((a, b) => rank(a) - rank(b) || names.compare(a.name, b.name) || (a.id < b.id ? -1 : 1));
  return { calendars: await toCalendars(ctx, actor, sorted) };
}

export async function showCalendar(
  ctx: Context,
  actor: Actor,
  { id }: InputOf<Contract['showCalendar']>,
): Promise<ReplyOf<Contract['showCalendar']>> {
  return { calendar: await toCalendar(ctx, actor, await requireCalendar(ctx, actor.memberId, id, 'freebusy')) };
}

const change = writtenQuery(`
  update calendars set name = $1, color = $2, about = $3, zone = $4, modified_at = $5 where id = $6`);

export async function updateCalendar(
  ctx: Context,
  actor: Actor,
  input: InputOf<Contract['updateCalendar']>,
): Promise<ReplyOf<Contract['updateCalendar']>> {
  const zone = input.timezone === undefined ? undefined : requireZone(input.timezone, 'timezone');
  const { subscriptionUrl: given } = input;
  const url = typeof given === 'string' ? await requireAddress(ctx, given) : given;
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireCalendar(tx, actor.memberId, input.id, 'owner');
    await lockMembers(tx, [actor.memberId]);
    const before = await requireCalendar(tx, actor.memberId, input.id, 'owner');
    const row = {
      ...before,
      name: input.displayName ?? before.name,
      color: input.color ?? before.color,
      about: input.description ?? before.about,
      zone: zone ?? before.zone,
      modified_at: tx.clock.now(),
    };
    await tx.db.executeQuery(change(row.name, row.color, row.about, row.zone, row.modified_at, row.id));
    // Days and floating times happen elsewhere then.
    if (row.zone !== before.zone) await planNewZone(tx, row.id);
    const subscribed = await follow(tx, row, url, input.subscriptionRefreshInterval);
    if (input.isDefault === true && subscribed === 1) throw neverDefault();
    if (input.isDefault === true) await makeDefault(tx, row);
    const isDefault = input.isDefault === true ? 1 : before.is_default;
    return { calendar: await toCalendar(tx, actor, { ...row, is_default: isDefault, subscribed }) };
  });
}

const remove = writtenQuery('delete from calendars where id = $1');
const removeShares = writtenQuery('delete from calendar_shares where calendar_id = $1');
const removeLinks = writtenQuery('delete from calendar_links where calendar_id = $1');

export async function deleteCalendar(
  ctx: Context,
  actor: Actor,
  { id, notify }: InputOf<Contract['deleteCalendar']>,
): Promise<{ success: true }> {
  await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireCalendar(tx, actor.memberId, id, 'owner');
    await lockMembers(tx, [actor.memberId]);
    const calendar = await requireCalendar(tx, actor.memberId, id, 'owner');
    if (calendar.is_default === 1)
      throw new Problem(
        'conflict',
        'DEFAULT_CALENDAR',
        'This is your default calendar, where invitations and bookings come. Make another one the default first.',
      );
    await tx.db.executeQuery(removeShares(id));
    await tx.db.executeQuery(removeLinks(id));
    if (calendar.subscribed === 1) await endSubscription(tx, calendar);
    // With it goes the key of its events, of which a job has the last copy: it tells those who are invited to them, and removes what is left.
    // Of events from elsewhere nobody hears.
    await tx.db.executeQuery(remove(id));
    await forgetChosen(tx, id);
    await planErasing(tx, calendar, notify === 'true' && calendar.subscribed !== 1);
  });
  return { success: true };
}

const shareCounts = writtenList<{ id: string; count: number }>(
  1,
  (ids) => `
  select calendar_id as id, count(*) as count from calendar_shares
  where (expires_at is null or expires_at > $1) and calendar_id in ${ids} group by calendar_id`,
);

async function toCalendars(ctx: Context, actor: Actor, rows: readonly OpenCalendar[]): Promise<Calendar[]> {
  const owned = rows.filter(({ permission }) => permission === 'owner').map(({ id }) => id);
  const counts = new Map<string, number>();
  if (owned.length > 0) {
    const found = await ctx.db.executeQuery(shareCounts(owned, ctx.clock.now()));
    for (const { id, count: shares } of found.rows) counts.set(id, shares);
  }
  const followed = rows.filter(({ permission, subscribed }) => permission === 'owner' && subscribed === 1);
  const subscriptions = await subscriptionsOf(
    ctx,
    followed.map(({ id }) => id),
  );
  return rows.map((row) => ({
    id: row.id,
    ownerId: row.owner_id,
    displayName: row.name,
    color: row.color,
    description: row.about,
    timezone: row.zone,
    isDefault: row.is_default === 1,
    isSubscription: row.subscribed === 1,
    ...subscriptionSeen(ctx, actor, row, subscriptions.get(row.id)),
    permission: row.permission,
    shareCount: counts.get(row.id) ?? 0,
    ctag: String(row.change_seq),
    dateCreated: new Date(row.created_at).toISOString(),
    dateModified: new Date(row.modified_at).toISOString(),
  }));
}

async function toCalendar(ctx: Context, actor: Actor, row: OpenCalendar): Promise<Calendar> {
  const [calendar] = await toCalendars(ctx, actor, [row]);
  return calendar as Calendar;
}
