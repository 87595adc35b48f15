import { operatorId, type Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { Person } from '../../../contract/social/person.ts';
import { whoBlocked } from '../../../members/blocks.ts';
import { membersNamed } from '../../../members/named.ts';
import { Problem } from '../../../problem.ts';
import type { SocialProfileRow } from '../../../store/tables/social.ts';
import type { MemberRow } from '../../../store/tables/tables.ts';
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

/** The same for many, in the order of their names. @throws Problem missing MEMBER_NOT_FOUND if one of them is unknown */
export async function requirePeople(
  ctx: Context,
  { memberId }: Pick<Actor, 'memberId'>,
  names: readonly string[],
): Promise<PersonRow[]> {
  const found = await membersNamed(ctx, names);
  const ids = found.flatMap((member) => (member?.active === true ? [member.id] : []));
  const blockers = await whoBlocked(ctx, memberId, ids);
  const rows = await personRows(ctx, ids);
  return found.map((member) => {
    const row = rows.get(member?.active === true ? member.id : '');
    if (row === undefined || blockers.has(row.id)) throw unknownPerson();
    return row;
  });
}

export function unknownPerson(): Problem {
  return new Problem('missing', 'MEMBER_NOT_FOUND', 'There is no such member.');
}

export async function personRows({ db }: Pick<Context, 'db'>, ids: readonly string[]): Promise<Map<string, PersonRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('social_profiles as p')
    .innerJoin('members as m', 'm.id', 'p.member_id')
    .selectAll('p')
    .select(['m.id', 'm.username', 'm.status'])
    .where('p.member_id', 'in', ids)
    .execute();
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
