import type { Context } from '../../service/context.ts';
import type { PrivacySettings } from '../../contract/social/person.ts';
import type { SocialProfileRow } from '../../platform/store/tables/social.ts';

const initialPrivacy: PrivacySettings = {
  hideFollowerCount: false,
  hideFollowingCount: false,
  hideFollowersFromNonFollowers: false,
  hideFollowingFromNonFollowers: false,
  allowDmsFromNonFollowers: true,
  showOnlineStatus: true,
  showReadReceipts: true,
};

export function privacyOf({ privacy }: Pick<SocialProfileRow, 'privacy'>): PrivacySettings {
  return { ...initialPrivacy, ...(JSON.parse(privacy) as Partial<PrivacySettings>) };
}

/** Whether a member shows that they are there. @param privacy null if they are not in the social network */
export function showsOnlineStatus({ privacy }: { readonly privacy: string | null }): boolean {
  return privacy === null || privacyOf({ privacy }).showOnlineStatus;
}

/** Those of the given members who show others what they have read. Who left the social network has the settings of a new member. */
export async function showingReceipts(
  ctx: Pick<Context, 'db'>,
  memberIds: readonly string[],
): Promise<ReadonlySet<string>> {
  return await showing(ctx, 'showReadReceipts', memberIds);
}

/** Those who show others whether they are there, likewise. */
export async function showingOnline(
  ctx: Pick<Context, 'db'>,
  memberIds: readonly string[],
): Promise<ReadonlySet<string>> {
  return await showing(ctx, 'showOnlineStatus', memberIds);
}

async function showing(
  { db }: Pick<Context, 'db'>,
  what: 'showReadReceipts' | 'showOnlineStatus',
  memberIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (memberIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('social_profiles')
    .select(['member_id', 'privacy'])
    .where('member_id', 'in', memberIds)
    .execute();
  const hiding = new Set(rows.filter((row) => !privacyOf(row)[what]).map((row) => row.member_id));
  return new Set(memberIds.filter((id) => !hiding.has(id)));
}
