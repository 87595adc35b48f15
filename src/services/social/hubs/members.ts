import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { HubMember } from '../../../contract/social/hub-members.ts';
import { hubLimits } from '../../../contract/social/hubs/limits.ts';
import { hiddenFrom, whomBlocks } from '../../../shared/members/blocks.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { banOf } from '../../../shared/groups/bans.ts';
import { join, leave, remove, roleIn, type Joined } from '../../../shared/groups/membership.ts';
import { isAtLeast } from '../../../shared/groups/roles.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { HubRow } from '../../../platform/store/tables/hubs.ts';
import type { RoomMemberRow } from '../../../platform/store/tables/rooms.ts';
import { personRows, requirePeople, requireSelf, shownPerson, unknownAmong } from '../people/found.ts';
import { hubKind, requireHub, requireOwner, requireReadable, roomOf } from './access.ts';
import { changingMembers } from './changes.ts';
import { record } from './log.ts';
import { banned, hubFull, hubNotFound, notInHub, outranked, ownerStays } from './problems.ts';
import { requireSubjects } from './subjects.ts';

type Named = { readonly idOrSlug: string };

export async function joinHub(ctx: Context, actor: Actor, { idOrSlug }: Named): Promise<{ hubId: string }> {
  const joined = [actor.memberId];
  const foresee = async (before: Context) => {
    await requireSelf(before, actor);
    const hub = await requireHub(before, idOrSlug);
    if (hub.trust_tier !== 'encrypted' || (await banOf(before, roomOf(hub.id), actor.memberId)) !== undefined)
      return [];
    return [{ hub, joined }];
  };
  return await changingMembers(ctx, foresee, async (tx, changed) => {
    await requireSelf(tx, actor);
    const hub = await requireHub(tx, idOrSlug);
    const { id: hubId } = hub;
    const ban = await banOf(tx, roomOf(hubId), actor.memberId);
    if (ban !== undefined) throw banned(ban);
    return await once(tx, async () => {
      switch (await admitted(tx, hub, actor.memberId)) {
        case 'joined':
          break;
        case 'banned':
          throw banned({ ends_at: null });
        case 'member':
          throw new Problem('invalid', 'ALREADY_IN_HUB', 'You are a member of this hub already.');
        case 'full':
          throw hubFull();
        case 'missing':
          throw hubNotFound();
      }
      await changed({ hub, joined, reason: 'member_added' });
      return { hubId };
    });
  });
}

async function admitted(tx: Context, { id, trust_tier: tier }: HubRow, memberId: string): Promise<Joined> {
  return await join(tx, roomOf(id), memberId, tier === 'encrypted' ? { most: hubLimits.encryptedMembers } : {});
}

export async function leaveHub(ctx: Context, actor: Actor, { idOrSlug }: Named): Promise<{ hubId: string }> {
  const foresee = async (before: Context) => {
    const hub = await requireHub(before, idOrSlug);
    const isOwner = (await roleIn(before, roomOf(hub.id), actor.memberId)) === 'owner';
    return isOwner ? [] : [{ hub, left: [actor.memberId] }];
  };
  return await changingMembers(ctx, foresee, async (tx, changed) => {
    const hub = await requireHub(tx, idOrSlug);
    const left = await leave(tx, roomOf(hub.id), actor.memberId);
    if (left === 'absent') throw notInHub();
    if (left === 'last-owner') throw ownerStays();
    await changed({ hub, left: [actor.memberId], reason: 'member_left' });
    return { hubId: hub.id };
  });
}

interface Several {
  readonly id: string;
  readonly userIds: readonly string[];
}

export async function addHubMembers(
  ctx: Context,
  actor: Actor,
  { id, userIds }: Several,
): Promise<{ added: string[] }> {
  const foresee = async (before: Context) => {
    const hub = await requireOwner(before, actor, id);
    return [{ hub, joined: await newcomers(before, actor, userIds) }];
  };
  return await changingMembers(ctx, foresee, async (tx, changed) => {
    const hub = await requireOwner(tx, actor, id);
    const ids = await newcomers(tx, actor, userIds);
    return await once(tx, async () => {
      const added: string[] = [];
      for (const memberId of ids) {
        const joined = await admitted(tx, hub, memberId);
        if (joined === 'banned')
          throw new Problem('invalid', 'ALREADY_BANNED', 'One of them is banned. Lift the ban first.');
        if (joined === 'full') throw hubFull();
        if (joined === 'joined') added.push(memberId);
      }
      for (const subjectId of added) await record(tx, actor, { hubId: id, action: 'add_member', subjectId });
      await changed({ hub, joined: added, reason: 'member_added' });
      return { added };
    });
  });
}

/**
 * Nobody is drawn into the hub of somebody with whom there is a block, and none of the two learns who blocked.
 * @returns each id once
 */
async function newcomers(ctx: Context, actor: Actor, names: readonly string[]): Promise<string[]> {
  const ids = (await requirePeople(ctx, actor, names)).map((person) => person.id);
  const blocked = await whomBlocks(ctx, actor.memberId, ids);
  const at = ids.findIndex((one) => blocked.has(one));
  if (at !== -1) throw unknownAmong(names, at);
  return [...new Set(ids)];
}

export async function removeHubMembers(
  ctx: Context,
  actor: Actor,
  { id, userIds }: Several,
): Promise<{ removed: string[] }> {
  const foresee = async (before: Context) => {
    const hub = await requireOwner(before, actor, id);
    const ids = (await requireSubjects(before, actor, id, userIds)).map((person) => person.id);
    return ids.includes(actor.memberId) ? [] : [{ hub, left: ids }];
  };
  return await changingMembers(ctx, foresee, async (tx, changed) => {
    const hub = await requireOwner(tx, actor, id);
    const ids = (await requireSubjects(tx, actor, id, userIds)).map((person) => person.id);
    if (ids.includes(actor.memberId)) throw ownerStays();
    for (const subjectId of ids) {
      const removed = await remove(tx, roomOf(id), actor.memberId, subjectId);
      if (removed === 'absent') throw notInHub();
      if (removed === 'outranked') throw outranked();
      await record(tx, actor, { hubId: id, action: 'remove_member', subjectId });
    }
    await changed({ hub, left: ids, reason: 'member_removed' });
    return { removed: ids };
  });
}

export async function listHubMembers(
  ctx: Context,
  actor: Actor,
  { id, limit, cursor }: PageRequest & { readonly id: string },
): Promise<{ items: HubMember[] } & Next> {
  const { role } = await requireReadable(ctx, actor, id);
  const query = ctx.db.selectFrom('room_members').selectAll().where('kind', '=', hubKind).where('room_id', '=', id);
  const listing = {
    list: 'social.hub-members',
    memberId: actor.memberId,
    filter: { id },
    by: [
      asc<RoomMemberRow>('joined_at', (row) => row.joined_at),
      asc<RoomMemberRow>('member_id', (row) => row.member_id),
    ],
  };
  const { rows, next } = await readPage(ctx, query, listing, { limit, cursor });
  const shown = isAtLeast(role, 'moderator') ? rows : await visible(ctx, actor, rows);
  return { items: await shownMembers(ctx, shown), ...next };
}

async function visible(ctx: Context, { memberId }: Actor, rows: readonly RoomMemberRow[]): Promise<RoomMemberRow[]> {
  const ids = rows.map((row) => row.member_id);
  const away = await hiddenFrom(ctx, memberId, ids, 'blocks');
  const known = await memberSummaries(ctx, ids);
  return rows.filter(({ member_id: id }) => !away.has(id) && known.get(id)?.active === true);
}

async function shownMembers(ctx: Context, rows: readonly RoomMemberRow[]): Promise<HubMember[]> {
  const people = await personRows(
    ctx,
    rows.map((row) => row.member_id),
  );
  return rows.flatMap(({ member_id: id, role, joined_at: joinedAt }) => {
    const person = people.get(id);
    if (person === undefined) return [];
    const shownRole = role === 'admin' ? 'moderator' : role;
    return [{ ...shownPerson(person), role: shownRole, joinedAt: new Date(joinedAt).toISOString() }];
  });
}
