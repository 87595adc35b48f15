import type { Context } from '../../../service/context.ts';
import { privacyOf } from '../../../shared/members/privacy.ts';
import { shownPreferences, storedPreferences } from '../../../shared/notifications/preferences.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { ownUrl } from '../address.ts';
import { mediaUrl } from '../media/shown.ts';
import { personRows, shownPerson, type PersonRow } from '../people/found.ts';
import type { ArchiveFile } from './archive-file.ts';
import { filesOfFolder, iso, json, type Keyed } from './json-files.ts';
import { mediaOf } from './media.ts';
import { hubsOf, listsOf, peopleOf } from './people.ts';
import { postsOf } from './posts.ts';

/** All that a member has, a part at a time. Of others there is what the member may see now. */
export async function* filesOfArchive(ctx: Context, memberId: string): AsyncGenerator<ArchiveFile> {
  const self = (await personRows(ctx, [memberId])).get(memberId);
  if (self === undefined) return;
  const { id, username } = self;
  const about = { format: 'conclave social archive 1', node: ownUrl(ctx), memberId: id, username };
  yield json('about.json', { ...about, createdAt: iso(ctx.clock.now()) });
  yield json('profile.json', profile(self));
  yield* postsOf(ctx, memberId);
  yield* peopleOf(ctx, memberId);
  yield* hubsOf(ctx, memberId);
  yield* listsOf(ctx, memberId);
  yield* settings(ctx, memberId);
  yield* filesOfFolder(ctx, memberId, {
    name: 'reports',
    read: ownReports,
    most: REPORTS,
    counted: false,
    shown: (rows) =>
      rows.map(({ postId, reason, status, createdAt }) => ({ postId, reason, status, createdAt: iso(createdAt) })),
  });
  yield* mediaOf(ctx, memberId);
}

function profile(self: PersonRow): object {
  return {
    ...shownPerson(self),
    bio: self.bio,
    ...(self.header_id !== null && { headerImageUrl: mediaUrl(self.header_id) }),
    location: self.location,
    websiteUrl: self.website,
    approveFollowersMode: self.approve_mode,
    privacySettings: privacyOf(self),
    createdAt: iso(self.created_at),
  };
}

interface OwnFilter {
  readonly phrase: string;
  readonly wholeWord: number;
  readonly action: string;
  readonly contexts: string;
  readonly expiresAt: number | null;
  readonly createdAt: number;
}

const ownFilters = writtenQuery<OwnFilter>(`
  select phrase, whole_word as "wholeWord", action, contexts, expires_at as "expiresAt", created_at as "createdAt"
  from social_filters where member_id = $1 order by id`);

/** Filters, of which a member has few, and preferences of notifications, unless the member has chosen none. */
async function* settings(ctx: Context, memberId: string): AsyncGenerator<ArchiveFile> {
  const filters = (await ctx.db.executeQuery(ownFilters(memberId))).rows;
  yield json(
    'filters.json',
    filters.map(({ phrase, wholeWord, action, contexts, expiresAt, createdAt }) => ({
      phrase,
      wholeWord: wholeWord === 1,
      action,
      contexts: JSON.parse(contexts) as unknown,
      expiresAt: expiresAt === null ? null : iso(expiresAt),
      createdAt: iso(createdAt),
    })),
  );
  const preferences = await storedPreferences(ctx, memberId);
  if (preferences !== undefined)
    yield json('notification-preferences.json', shownPreferences(preferences, ctx.clock.now()));
}

const REPORTS = 1_000;

interface OwnReport extends Keyed {
  readonly postId: string;
  readonly reason: string;
  readonly status: string;
  readonly createdAt: number;
}

const ownReports = writtenQuery<OwnReport>(`
  select id as key, post_id as "postId", reason, status, created_at as "createdAt" from social_reports
  where reporter_id = $1 and id > $2 order by id limit $3`);
