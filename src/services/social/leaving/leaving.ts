import type { Actor } from '../../../actor.ts';
import { transaction, type Context } from '../../../context.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { social } from '../../../contract/social.ts';
import type { Profile } from '../../../contract/social/person.ts';
import { audit } from '../../../members/audit.ts';
import { unauthorized } from '../../../members/authenticate.ts';
import {
  credentialColumns,
  invalidCredentials,
  isStill,
  openCredentials,
  untilFresh,
} from '../../../members/credentials.ts';
import { newSocialProfile } from '../../../members/social-profile.ts';
import { assertStillSignedIn } from '../../../members/still-signed-in.ts';
import { Problem } from '../../../problem.ts';
import { once } from '../../../repeats.ts';
import { enqueue } from '../../../store/jobs/jobs.ts';
import { leave as leaveRoom } from '../../../rooms/membership.ts';
import { hubKind, roomOf } from '../hubs/access.ts';
import { membershipChanged } from '../hubs/changes.ts';
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
    const member = await memberOf(ctx, actor.memberId);
    if ((await openCredentials(ctx, member, password)) === undefined) {
      audit(ctx, actor, 'social.leave-failed', actor.memberId);
      throw invalidCredentials();
    }
    return await transaction(ctx, async (tx) => {
      await assertStillSignedIn(tx, actor);
      if (!(await isStill(tx.db, member))) return undefined;
      await requireOwn(tx, actor, id);
      await leaveHubs(tx, actor.memberId);
      await tx.db.deleteFrom('social_profiles').where('member_id', '=', actor.memberId).execute();
      const now = tx.clock.now();
      const job = { kind: 'social-leaving', payload: { memberId: actor.memberId } };
      await enqueue(tx.db, { id: jobOf(actor.memberId), ...job, runAt: now, now });
      audit(tx, actor, 'social.leave', actor.memberId);
      return {};
    });
  });
}

/** @throws Problem conflict OWNS_HUBS */
async function leaveHubs(tx: Context, memberId: string): Promise<void> {
  const rows = await tx.db
    .selectFrom('room_members')
    .select('room_id')
    .where('member_id', '=', memberId)
    .where('kind', '=', hubKind)
    .orderBy('room_id')
    .execute();
  for (const { room_id: hubId } of rows) {
    if ((await leaveRoom(tx, roomOf(hubId), memberId)) === 'last-owner')
      throw new Problem('conflict', 'OWNS_HUBS', 'You own a hub. Hand your hubs over, or delete them, and leave then.');
    await membershipChanged(tx, { hubId, left: [memberId] });
  }
}

/** @throws Problem missing MEMBER_NOT_FOUND, forbidden FORBIDDEN */
async function requireOwn(ctx: Context, actor: Actor, name: string): Promise<void> {
  const self = await requireSelf(ctx, actor);
  const named = await requirePerson(ctx, actor, name);
  if (named.id !== self.id) throw new Problem('forbidden', 'FORBIDDEN', 'You can erase what is yours only.');
}

async function memberOf(ctx: Context, memberId: string) {
  const row = await ctx.db
    .selectFrom('members as m')
    .innerJoin('member_credentials as c', 'c.member_id', 'm.id')
    .select(['m.id', 'm.status', ...credentialColumns])
    .where('m.id', '=', memberId)
    .executeTakeFirst();
  if (row === undefined) throw unauthorized();
  const { id, status, ...credentials } = row;
  return { id, status, credentials };
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
