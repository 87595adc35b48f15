import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { BannedUser } from '../../../contract/social/moderation.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { ban, unban, type Banished } from '../../../shared/groups/banning.ts';
import { roleIn } from '../../../shared/groups/membership.ts';
import { outranks } from '../../../shared/groups/roles.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { HubRow } from '../../../platform/store/tables/hubs.ts';
import type { RoomBanRow } from '../../../platform/store/tables/rooms.ts';
import { hubKind, requireModerator, roomOf } from './access.ts';
import { changingMembers, type ForeseenChange } from './changes.ts';
import { record } from './log.ts';
import { noticeBan } from './notices.ts';
import { outranked } from './problems.ts';
import { requireSubject } from './subjects.ts';

const DAY = 24 * 60 * 60 * 1000;

interface Banning {
  readonly id: string;
  readonly userId: string;
  readonly reason?: string | undefined;
}

export async function banMember(ctx: Context, actor: Actor, wanted: Banning): Promise<{ ban: BannedUser }> {
  return await banish(ctx, actor, wanted, undefined);
}

export async function banForDays(
  ctx: Context,
  actor: Actor,
  { durationDays, ...wanted }: Banning & { readonly durationDays: number },
): Promise<{ ban: BannedUser }> {
  return await banish(ctx, actor, wanted, durationDays);
}

/** @param days undefined for a ban that does not end by itself */
async function banish(
  ctx: Context,
  actor: Actor,
  { id, userId, reason }: Banning,
  days: number | undefined,
): Promise<{ ban: BannedUser }> {
  const foresee = async (before: Context) => {
    const hub = await requireModerator(before, actor, id);
    return await foreseen(before, actor, hub, (await requireSubject(before, actor, id, userId)).id);
  };
  return await changingMembers(ctx, foresee, async (tx, changed) => {
    const hub = await requireModerator(tx, actor, id);
    const subject = await requireSubject(tx, actor, id, userId);
    return await once(tx, async () => {
      await assertNotBannedForGood(tx, id, subject.id);
      const endsAt = days === undefined ? undefined : tx.clock.now() + days * DAY;
      const done = await ban(tx, roomOf(id), { by: actor.memberId, memberId: subject.id, reason, endsAt });
      if (done === undefined) throw outranked();
      const action = days === undefined ? 'permanent_ban' : 'temp_ban';
      for (const change of await changesOf(tx, done, subject.id)) await changed({ ...change, reason: 'member_banned' });
      await record(tx, actor, { hubId: id, action, subjectId: subject.id, reason, endsAt });
      for (const { room, ownerId } of done.passed) {
        await tx.db.updateTable('social_hubs').set({ owner_id: ownerId }).where('id', '=', room.id).execute();
        await record(tx, actor, { hubId: room.id, action: 'transfer', subjectId: ownerId });
      }
      // A stranger is not told, because that would be a way to write to everybody.
      if (done.left.length > 0) await noticeBan(tx, hub, { subjectId: subject.id, reason, endsAt });
      return { ban: await shownBan(tx, hub, subject.id) };
    });
  });
}

/** What a ban will change in the hub and those below it; what they own there goes to the owner of the hub. */
async function foreseen(
  ctx: Context,
  { memberId }: Actor,
  hub: HubRow,
  subjectId: string,
): Promise<readonly ForeseenChange[]> {
  if (!outranks(await roleIn(ctx, roomOf(hub.id), memberId), await roleIn(ctx, roomOf(hub.id), subjectId))) return [];
  const rows = await ctx.db
    .selectFrom('social_hubs as h')
    .innerJoin('room_members as m', 'm.room_id', 'h.id')
    .select(['h.id', 'h.trust_tier', 'm.role'])
    .where('m.kind', '=', hubKind)
    .where('m.member_id', '=', subjectId)
    .where((e) => e.or([e('h.id', '=', hub.id), e('h.parent_id', '=', hub.id)]))
    .execute();
  return rows.map(({ role, ...one }) => {
    return { hub: one, left: [subjectId], joined: role === 'owner' ? [hub.owner_id] : [] };
  });
}

async function changesOf(tx: Context, { left, passed }: Banished, subjectId: string): Promise<ForeseenChange[]> {
  if (left.length === 0) return [];
  const ids = left.map((room) => room.id);
  const hubs = await tx.db.selectFrom('social_hubs').select(['id', 'trust_tier']).where('id', 'in', ids).execute();
  return hubs.map((hub) => {
    const owners = passed.filter(({ room, joined }) => joined && room.id === hub.id).map(({ ownerId }) => ownerId);
    return { hub, left: [subjectId], joined: owners };
  });
}

/** A ban without an end is not repeated, and one with an end would shorten it. One with an end may be made longer, shorter or endless. */
async function assertNotBannedForGood(tx: Context, hubId: string, memberId: string): Promise<void> {
  const row = await banRow(tx, hubId, memberId);
  if (row?.ends_at === null)
    throw new Problem('invalid', 'ALREADY_BANNED', 'The member is banned from this hub already. Lift that ban first.');
}

async function banRow({ db }: Context, hubId: string, memberId: string): Promise<RoomBanRow | undefined> {
  return await db
    .selectFrom('room_bans')
    .selectAll()
    .where('kind', '=', hubKind)
    .where('room_id', '=', hubId)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
}

async function shownBan(tx: Context, { id }: HubRow, memberId: string): Promise<BannedUser> {
  const row = await banRow(tx, id, memberId);
  const names = await memberSummaries(tx, [memberId]);
  return shown(row as RoomBanRow, names.get(memberId)?.username);
}

export async function unbanMember(
  ctx: Context,
  actor: Actor,
  { id, userId }: Omit<Banning, 'reason'>,
): Promise<{ userId: string }> {
  return await transaction(ctx, async (tx) => {
    await requireModerator(tx, actor, id);
    const { id: subjectId } = await requireSubject(tx, actor, id, userId);
    if (!(await unban(tx, roomOf(id), subjectId)))
      throw new Problem('missing', 'HUB_BAN_NOT_FOUND', 'The member is not banned from this hub.');
    await record(tx, actor, { hubId: id, action: 'unban', subjectId });
    return { userId: subjectId };
  });
}

export async function listBanned(
  ctx: Context,
  actor: Actor,
  { id, limit, cursor }: PageRequest & { readonly id: string },
): Promise<{ bannedUsers: BannedUser[] } & Next> {
  await requireModerator(ctx, actor, id);
  const query = ctx.db
    .selectFrom('room_bans')
    .selectAll()
    .where('kind', '=', hubKind)
    .where('room_id', '=', id)
    .where((e) => e.or([e('ends_at', 'is', null), e('ends_at', '>', ctx.clock.now())]));
  const listing = {
    list: 'social.banned',
    memberId: actor.memberId,
    filter: { id },
    by: [desc<RoomBanRow>('id', (row) => row.id)],
  };
  const { rows, next } = await readPage(ctx, query, listing, { limit, cursor });
  const names = await memberSummaries(
    ctx,
    rows.map((row) => row.member_id),
  );
  return { bannedUsers: rows.map((row) => shown(row, names.get(row.member_id)?.username)), ...next };
}

function shown(row: RoomBanRow, username = ''): BannedUser {
  return {
    _id: row.id,
    hubId: row.room_id,
    userId: row.member_id,
    username,
    ...(row.banned_by !== null && { bannedBy: row.banned_by }),
    bannedAt: new Date(row.banned_at).toISOString(),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.ends_at !== null && { expiresAt: new Date(row.ends_at).toISOString() }),
  };
}
