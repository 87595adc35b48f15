import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { Standing } from '../../../contract/social/hub.ts';
import type { HubLogEntry } from '../../../contract/social/moderation.ts';
import { once } from '../../../service/repeats.ts';
import { banOf } from '../../../shared/groups/bans.ts';
import { deedsIn } from '../../../shared/groups/log.ts';
import { roleIn } from '../../../shared/groups/membership.ts';
import { outranks } from '../../../shared/groups/roles.ts';
import { requireHub, requireModerator, roomOf } from './access.ts';
import { record, shownEntry } from './log.ts';
import { noticeWarning } from './notices.ts';
import { postingRefusal } from './posting.ts';
import { notInHub, outranked } from './problems.ts';
import { requireSubject } from './subjects.ts';

const WARNINGS = 10;

interface Warning {
  readonly id: string;
  readonly userId: string;
  readonly reason: string;
}

/** Warns a member with a lower role. */
export async function warnMember(
  ctx: Context,
  actor: Actor,
  { id, userId, reason }: Warning,
): Promise<{ warning: HubLogEntry }> {
  return await transaction(ctx, async (tx) => {
    const hub = await requireModerator(tx, actor, id);
    const subject = await requireSubject(tx, actor, id, userId);
    return await once(tx, async () => {
      const role = await roleIn(tx, roomOf(id), subject.id);
      if (role === undefined) throw notInHub();
      if (!outranks(await roleIn(tx, roomOf(id), actor.memberId), role)) throw outranked();
      const row = await record(tx, actor, { hubId: id, action: 'warning', subjectId: subject.id, reason });
      await noticeWarning(tx, hub, { subjectId: subject.id, reason });
      return { warning: shownEntry(row, new Map([[subject.id, subject]])) };
    });
  });
}

/** What a member may know of themselves in a hub; not who of the moderators it was. */
export async function showStanding(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<Standing> {
  const hub = await requireHub(ctx, id);
  const { memberId } = actor;
  const role = await roleIn(ctx, roomOf(id), memberId);
  const ban = await banOf(ctx, roomOf(id), memberId);
  const warnings = await deedsIn(ctx, roomOf(id), { action: 'warning', subjectId: memberId })
    .orderBy('id', 'desc')
    .limit(WARNINGS)
    .execute();
  return {
    hubId: id,
    ...(role !== undefined && { role: role === 'admin' ? 'moderator' : role }),
    mayPost: (await postingRefusal(ctx, memberId, hub)) === undefined,
    ...(ban !== undefined && {
      ban: {
        hubId: ban.room_id,
        ...(ban.reason !== null && { reason: ban.reason }),
        bannedAt: new Date(ban.banned_at).toISOString(),
        ...(ban.ends_at !== null && { expiresAt: new Date(ban.ends_at).toISOString() }),
      },
    }),
    warnings: warnings.map(({ reason, created_at: at }) => ({
      reason: reason ?? '',
      createdAt: new Date(at).toISOString(),
    })),
  };
}
