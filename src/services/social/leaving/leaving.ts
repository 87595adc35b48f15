import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { social } from '../../../contract/social.ts';
import type { Profile } from '../../../contract/social/person.ts';
import { audit } from '../../../shared/members/audit.ts';
import { invalidCredentials, isStill, openCredentials, untilFresh } from '../../../shared/members/credentials.ts';
import { requireHolder } from '../../../shared/members/holder.ts';
import { newSocialProfile } from '../../../shared/members/social-profile.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { Problem } from '../../../base/problem.ts';
import { once } from '../../../service/repeats.ts';
import { forgetReplies } from '../../../platform/store/idempotency.ts';
import { enqueue } from '../../../platform/store/jobs/jobs.ts';
import { leave as leaveRoom } from '../../../shared/groups/membership.ts';
import { hubKind, roomOf } from '../hubs/access.ts';
import { changingMembers, type Changed, type ForeseenChange } from '../hubs/changes.ts';
import { personRows, requirePerson, requireSelf } from '../people/found.ts';
import { showProfile } from '../people/profiles.ts';

const jobOf = (memberId: string): string => `social-leaving/${memberId}`;

/**
 * Removes the profile at once. What anybody sees of a member asks for it: posts, lists and names are gone with it, and the member can do
 * nothing that needs one. A job erases the rest.
 */
export async function leave(
  ctx: Context,
  actor: Actor,
  { id, password }: InputOf<typeof social.leave>,
): Promise<object> {
  await requireOwn(ctx, actor, id);
  return await untilFresh(async () => {
    const member = await requireHolder(ctx, actor.memberId);
    if ((await openCredentials(ctx, member, password)) === undefined) {
      audit(ctx, actor, 'social.leave-failed', actor.memberId);
      throw invalidCredentials();
    }
    await leaveEncryptedHubs(ctx, actor);
    const foresee = async (before: Context) => await leavable(before, actor.memberId);
    return await changingMembers(ctx, foresee, async (tx, changed) => {
      await assertStillSignedIn(tx, actor);
      if (!(await isStill(tx.db, member))) return undefined;
      await requireOwn(tx, actor, id);
      for (const change of await leavable(tx, actor.memberId)) await leaveHub(tx, actor.memberId, change, changed);
      // They have the words of what was written in the last day.
      await forgetReplies(tx.db, actor.memberId);
      await tx.db.deleteFrom('social_profiles').where('member_id', '=', actor.memberId).execute();
      const now = tx.clock.now();
      const job = { kind: 'social-leaving', payload: { memberId: actor.memberId } };
      await enqueue(tx.db, { id: jobOf(actor.memberId), ...job, runAt: now, now });
      audit(tx, actor, 'social.leave', actor.memberId);
      return {};
    });
  });
}

/** Each of them gets a new key for all who stay, so they are left one after another, and not in one large transaction. */
async function leaveEncryptedHubs(ctx: Context, actor: Actor): Promise<void> {
  for (const change of await leavable(ctx, actor.memberId)) {
    if (change.hub.trust_tier !== 'encrypted') continue;
    await changingMembers(
      ctx,
      async () => [change],
      async (tx, changed) => {
        await assertStillSignedIn(tx, actor);
        await leaveHub(tx, actor.memberId, change, changed);
      },
    );
  }
}

/** @throws Problem conflict OWNS_HUBS */
async function leavable({ db }: Context, memberId: string): Promise<ForeseenChange[]> {
  const rows = await db
    .selectFrom('room_members as m')
    .innerJoin('social_hubs as h', 'h.id', 'm.room_id')
    .select(['h.id', 'h.trust_tier', 'm.role'])
    .where('m.member_id', '=', memberId)
    .where('m.kind', '=', hubKind)
    .orderBy('h.id')
    .execute();
  if (rows.some(({ role }) => role === 'owner')) throw ownsHubs();
  return rows.map(({ id, trust_tier }) => ({ hub: { id, trust_tier }, left: [memberId] }));
}

/** @throws Problem conflict OWNS_HUBS */
async function leaveHub(tx: Context, memberId: string, change: ForeseenChange, changed: Changed): Promise<void> {
  const left = await leaveRoom(tx, roomOf(change.hub.id), memberId);
  if (left === 'last-owner') throw ownsHubs();
  if (left === 'left') await changed({ ...change, reason: 'account_removed' });
}

function ownsHubs(): Problem {
  return new Problem('conflict', 'OWNS_HUBS', 'You own a hub. Hand your hubs over, or delete them, and leave then.');
}

/** @throws Problem missing MEMBER_NOT_FOUND, forbidden FORBIDDEN */
async function requireOwn(ctx: Context, actor: Actor, name: string): Promise<void> {
  const self = await requireSelf(ctx, actor);
  const named = await requirePerson(ctx, actor, name);
  if (named.id !== self.id) throw new Problem('forbidden', 'FORBIDDEN', 'You can erase what is yours only.');
}

export async function join(ctx: Context, actor: Actor): Promise<Profile> {
  const { memberId } = actor;
  return await transaction(ctx, async (tx) => {
    const member = await tx.db.selectFrom('members').select('username').where('id', '=', memberId).executeTakeFirst();
    if (member === undefined) await requireSelf(tx, actor);
    return await once(tx, async () => {
      if ((await personRows(tx, [memberId])).size > 0)
        throw new Problem('invalid', 'ALREADY_JOINED', 'You are in the social network.');
      const busy = await tx.db.selectFrom('jobs').select('id').where('id', '=', jobOf(memberId)).executeTakeFirst();
      if (busy !== undefined)
        throw new Problem('conflict', 'LEAVING', 'What you had is still being erased. Try again in a while.');
      const row = newSocialProfile(memberId, member?.username ?? '', tx.clock.now());
      await tx.db.insertInto('social_profiles').values(row).execute();
      return await showProfile(tx, actor, { id: memberId });
    });
  });
}
