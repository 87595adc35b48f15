import { requireRole, type Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { social } from '../../../contract/social.ts';
import type { InputOf } from '../../../contract/operation.ts';
import type { Person, Profile } from '../../../contract/social/person.ts';
import { whomBlocks, whomMutes } from '../../../shared/members/blocks.ts';
import { planHiddenMember } from '../../../shared/members/hidden-member.ts';
import { privacyOf } from '../../../shared/members/privacy.ts';
import { assertStillAllowed } from '../../../shared/members/still-signed-in.ts';
import { touchPresence } from '../../../shared/presence/board.ts';
import { Problem } from '../../../base/problem.ts';
import { replacePicture } from '../media/attaching.ts';
import { mediaUrl } from '../media/shown.ts';
import { requirePerson, requireSelf, shownPerson, type PersonRow } from './found.ts';

export async function showProfile(
  ctx: Context,
  actor: Actor,
  { id }: InputOf<typeof social.showProfile>,
): Promise<Profile> {
  return await shownProfile(ctx, actor, await requirePerson(ctx, actor, id));
}

export async function updateProfile(
  ctx: Context,
  actor: Actor,
  { id, ...change }: InputOf<typeof social.updateProfile>,
): Promise<Profile> {
  return await transaction(ctx, async (tx) => {
    const self = await requireSelf(tx, actor);
    const row = await requirePerson(tx, actor, id);
    if (row.id !== self.id) throw new Problem('forbidden', 'FORBIDDEN', 'You can change your own profile only.');
    const { displayName, bio, location, websiteUrl, isProtected, approveFollowersMode, privacySettings } = change;
    const { profilePictureId = row.picture_id, headerImageId = row.header_id } = change;
    await replacePicture(tx, actor, 'profilePictureId', { before: row.picture_id, after: profilePictureId });
    await replacePicture(tx, actor, 'headerImageId', { before: row.header_id, after: headerImageId });
    const changed = {
      display_name: displayName ?? row.display_name,
      bio: bio ?? row.bio,
      location: location ?? row.location,
      website: websiteUrl ?? row.website,
      protected: (isProtected ?? row.protected === 1) ? 1 : 0,
      approve_mode: approveFollowersMode ?? row.approve_mode,
      privacy: JSON.stringify({ ...privacyOf(row), ...given(privacySettings ?? {}) }),
      picture_id: profilePictureId,
      header_id: headerImageId,
      updated_at: tx.clock.now(),
    };
    await tx.db.updateTable('social_profiles').set(changed).where('member_id', '=', row.id).execute();
    if (changed.protected > row.protected) await planHiddenMember(tx, row.id);
    touchPresence(tx, row.id);
    return await shownProfile(tx, actor, { ...row, ...changed });
  });
}

function given(settings: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

const administrators = { any: ['Admin', 'System'] } as const;

export async function verify(
  ctx: Context,
  actor: Actor,
  { id, isVerified }: InputOf<typeof social.verify>,
): Promise<{ person: Person }> {
  requireRole(actor, administrators);
  return await transaction(ctx, async (tx) => {
    await assertStillAllowed(tx, actor, administrators);
    const row = await requirePerson(tx, actor, id);
    const verified = isVerified ? 1 : 0;
    await tx.db.updateTable('social_profiles').set({ verified }).where('member_id', '=', row.id).execute();
    return { person: shownPerson({ ...row, verified }) };
  });
}

/** Whether one member follows another one, or has asked to. */
export async function followOf(
  { db }: Pick<Context, 'db'>,
  followerId: string,
  followeeId: string,
): Promise<Profile['following']> {
  const row = await db
    .selectFrom('social_follows')
    .select('requested')
    .where('follower_id', '=', followerId)
    .where('followee_id', '=', followeeId)
    .executeTakeFirst();
  if (row === undefined) return 'no';
  return row.requested === 1 ? 'requested' : 'yes';
}

async function shownProfile(ctx: Context, { memberId }: Actor, row: PersonRow): Promise<Profile> {
  const privacy = privacyOf(row);
  const own = row.id === memberId;
  return {
    ...shownPerson(row),
    bio: row.bio,
    ...(row.header_id !== null && { headerImageUrl: mediaUrl(row.header_id) }),
    location: row.location,
    websiteUrl: row.website,
    ...((own || !privacy.hideFollowerCount) && { followerCount: row.follower_count }),
    ...((own || !privacy.hideFollowingCount) && { followingCount: row.following_count }),
    postCount: row.post_count,
    approveFollowersMode: row.approve_mode,
    privacySettings: privacy,
    createdAt: new Date(row.created_at).toISOString(),
    following: await followOf(ctx, memberId, row.id),
    followsYou: (await followOf(ctx, row.id, memberId)) === 'yes',
    blocked: (await whomBlocks(ctx, memberId, [row.id])).has(row.id),
    muted: (await whomMutes(ctx, memberId, [row.id])).has(row.id),
  };
}
