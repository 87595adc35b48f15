import { operatorId, type Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { Person } from '../../../contract/social/person.ts';
import { inOrderOf, keysOf } from '../../../shared/members/named.ts';
import { Problem } from '../../../base/problem.ts';
import { writtenList } from '../../../platform/store/written-query.ts';
import type { SocialProfileRow } from '../../../platform/store/tables/social.ts';
import type { MemberRow } from '../../../platform/store/tables/tables.ts';
import { mediaUrl } from '../media/shown.ts';

/** A member with their profile. */
export interface PersonRow extends SocialProfileRow {
  readonly id: string;
  readonly username: string;
  readonly status: MemberRow['status'];
}

/** @throws Problem forbidden FORBIDDEN for who has no profile: the operator of the node, and a member who left */
export async function requireSelf(ctx: Context, { memberId }: Pick<Actor, 'memberId'>): Promise<PersonRow> {
  const self = (await personRows(ctx, [memberId])).get(memberId);
  if (self !== undefined) return self;
  const words =
    memberId === operatorId
      ? 'Only members have a place in the social network. Sign in as one.'
      : 'You left the social network. To come back, run: conclave social join';
  throw new Problem('forbidden', 'FORBIDDEN', words);
}

/**
 * The member whom a name means. A suspended one, and one who blocked the actor, is as unknown as one who does not exist.
 * @throws Problem missing MEMBER_NOT_FOUND
 */
export async function requirePerson(ctx: Context, actor: Pick<Actor, 'memberId'>, name: string): Promise<PersonRow> {
  const [row] = await requirePeople(ctx, actor, [name]);
  return row as PersonRow;
}

/** The same; undefined for who is unknown. */
export async function personIfKnown(
  ctx: Context,
  actor: Pick<Actor, 'memberId'>,
  name: string,
): Promise<PersonRow | undefined> {
  return await requirePerson(ctx, actor, name).catch((error: unknown) => {
    if (error instanceof Problem && error.code === unknownPerson().code) return undefined;
    throw error;
  });
}

/**
 * The same for many, in the order of their names. It is one statement, whoever they are, so that its time tells nothing either.
 * @throws Problem missing MEMBER_NOT_FOUND if one of them is unknown
 */
export async function requirePeople(
  ctx: Pick<Context, 'db' | 'config'>,
  { memberId }: Pick<Actor, 'memberId'>,
  names: readonly string[],
): Promise<PersonRow[]> {
  if (names.length === 0) return [];
  const { ids, usernames, emails } = keysOf(names);
  const rows = await ctx.db
    .selectFrom('members as m')
    .innerJoin('social_profiles as p', 'p.member_id', 'm.id')
    .selectAll('p')
    .select(['m.id', 'm.username', 'm.status', 'm.username_key', 'm.email_key', 'm.verified_email_key'])
    .where((e) => e.or([e('m.id', 'in', ids), e('m.username_key', 'in', usernames), e('m.email_key', 'in', emails)]))
    .where('m.status', '=', 'active')
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('member_blocks as b')
            .select('b.member_id')
            .whereRef('b.member_id', '=', 'm.id')
            .where('b.blocked_id', '=', memberId),
        ),
      ),
    )
    .execute();
  return inOrderOf(ctx, names, rows).map((found, at) => {
    if (found === undefined) throw unknownAmong(names, at);
    const { username_key: _, email_key: __, verified_email_key: ___, ...person } = found;
    return person;
  });
}

const unknown = writtenList<{ id: string }>(
  1,
  (ids) => `select m.id from members m left join social_profiles p on p.member_id = m.id
    where (m.status <> 'active' or p.member_id is null
      or exists (select 1 from member_blocks b where b.member_id = m.id and b.blocked_id = $1)) and m.id in ${ids}`,
);

/** Both engines allow more parameters. */
const IDS_AT_ONCE = 5_000;

/** Those of the given members whom `requirePerson` does not find for a reader: few, if any. Nothing is asked about nobody. */
export async function unknownTo(
  { db }: Pick<Context, 'db'>,
  readerId: string,
  ids: Iterable<string>,
): Promise<Set<string>> {
  const wanted = [...new Set(ids)];
  const found = new Set<string>();
  for (let from = 0; from < wanted.length; from += IDS_AT_ONCE) {
    const { rows } = await db.executeQuery(unknown(wanted.slice(from, from + IDS_AT_ONCE), readerId));
    for (const { id } of rows) found.add(id);
  }
  return found;
}

export function unknownPerson(): Problem {
  return new Problem('missing', 'MEMBER_NOT_FOUND', 'There is no such member.');
}

/** Of several, the first who is unknown is named. */
export function unknownAmong(names: readonly string[], at: number): Problem {
  if (names.length === 1) return unknownPerson();
  return new Problem('missing', 'MEMBER_NOT_FOUND', `There is no member ${JSON.stringify(names[at])}.`);
}

const people = writtenList<PersonRow>(
  0,
  (ids) => `select p.*, m.id, m.username, m.status from social_profiles p join members m on m.id = p.member_id
    where p.member_id in ${ids}`,
);

export async function personRows({ db }: Pick<Context, 'db'>, ids: readonly string[]): Promise<Map<string, PersonRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.executeQuery(people(ids));
  return new Map(rows.map((row) => [row.id, row]));
}

export function shownPerson(row: PersonRow): Person {
  return {
    _id: row.id,
    username: row.username,
    displayName: row.display_name,
    ...(row.picture_id !== null && { profilePictureUrl: mediaUrl(row.picture_id) }),
    isVerified: row.verified === 1,
    isProtected: row.protected === 1,
  };
}
