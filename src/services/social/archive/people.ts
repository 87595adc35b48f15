import type { Context } from '../../../service/context.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import type { RoomRole } from '../../../platform/store/tables/rooms.ts';
import { hubKind } from '../hubs/access.ts';
import type { ArchiveFile } from './archive-file.ts';
import { filesOfFolder, iso, json, numberedName, type Keyed } from './json-files.ts';

const BATCH = 1_000;

interface Related extends Keyed {
  readonly username: string;
  readonly since: number;
  readonly until: number | null;
  readonly requested: number;
}

/** Without members who blocked this one, but for those whom this one blocked or muted. */
const related = (
  table: string,
  mine: string,
  other: string,
  more: { until?: string; requested?: string; hidden?: true },
) =>
  writtenQuery<Related>(`
    select m.id as key, m.username, t.created_at as since, ${more.until ?? 'null'} as until, ${more.requested ?? '0'} as requested
    from ${table} t join members m on m.id = t.${other}
    where t.${mine} = $1 and t.${other} > $2 and m.status = 'active' ${
      more.hidden === true
        ? ''
        : `and not exists (
      select 1 from member_blocks b where b.member_id = m.id and b.blocked_id = $1)`
    } order by t.${other} limit $3`);

const relations = {
  follows: related('social_follows', 'follower_id', 'followee_id', { requested: 't.requested' }),
  followers: related('social_follows', 'followee_id', 'follower_id', { requested: 't.requested' }),
  blocks: related('member_blocks', 'member_id', 'blocked_id', { hidden: true }),
  mutes: related('member_mutes', 'member_id', 'muted_id', { hidden: true, until: 't.ends_at' }),
} as const;

export async function* peopleOf(ctx: Context, memberId: string): AsyncGenerator<ArchiveFile> {
  const now = ctx.clock.now();
  for (const [name, read] of Object.entries(relations))
    yield* filesOfFolder(ctx, memberId, {
      name,
      read,
      most: BATCH,
      counted: false,
      shown: (rows) =>
        rows
          .filter(({ until }) => until === null || until > now)
          .map(({ key, username, since, until, requested }) => ({
            _id: key,
            username,
            since: iso(since),
            until: until === null ? null : iso(until),
            requested: requested === 1,
          })),
    });
}

interface Membership extends Keyed {
  readonly slug: string;
  readonly name: string;
  readonly role: RoomRole;
  readonly since: number;
}

const memberships = writtenQuery<Membership>(`
  select h.id as key, h.slug, h.name, r.role, r.joined_at as since
  from room_members r join social_hubs h on h.id = r.room_id
  where r.kind = '${hubKind}' and r.member_id = $1 and r.room_id > $2 and h.deleted_at is null
  order by r.room_id limit $3`);

export async function* hubsOf(ctx: Context, memberId: string): AsyncGenerator<ArchiveFile> {
  yield* filesOfFolder(ctx, memberId, {
    name: 'hubs',
    read: memberships,
    most: BATCH,
    counted: false,
    shown: (rows) =>
      rows.map(({ key, slug, name, role, since }) => ({
        _id: key,
        slug,
        name,
        role: role === 'admin' ? 'moderator' : role,
        joinedAt: iso(since),
      })),
  });
}

const ownLists = writtenQuery<{ id: string; kind: string; name: string }>(
  'select id, kind, name from social_lists where owner_id = $1 order by name_key, id',
);
const listed = writtenQuery<{ _id: string; username: string }>(`
  select m.id as "_id", m.username from social_list_members l join members m on m.id = l.member_id
  where l.list_id = $1 and m.status = 'active' order by m.username_key`);

/** A file for each list and category, because each may have many members. */
export async function* listsOf(ctx: Context, memberId: string): AsyncGenerator<ArchiveFile> {
  const { rows } = await ctx.db.executeQuery(ownLists(memberId));
  for (const [kind, folder] of [
    ['list', 'lists'],
    ['category', 'categories'],
  ] as const)
    for (const [index, { id, name }] of rows.filter((row) => row.kind === kind).entries())
      yield json(numberedName(folder, index + 1), { name, members: (await ctx.db.executeQuery(listed(id))).rows });
}
