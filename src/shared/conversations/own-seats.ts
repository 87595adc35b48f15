import type { Context } from '../../service/context.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { usernameKey } from '../members/names.ts';
import { placeColumns, roomOf, type Seat } from './conversation.ts';
import { channelNameKey } from './find-channel.ts';
import type { ConversationType } from './types.ts';

/** A query for what a member has in the conversations that they are in: rows of `Seat`, of conversations `c` and places `p`. */
function seatsOf({ db }: Pick<Context, 'db'>, memberId: string) {
  const { kind } = roomOf('');
  return db
    .selectFrom('conversation_places as p')
    .innerJoin('conversations as c', 'c.id', 'p.conversation_id')
    .innerJoin('rooms as r', (on) => on.onRef('r.id', '=', 'c.id').on('r.kind', '=', kind))
    .innerJoin('room_members as m', (on) =>
      on.onRef('m.room_id', '=', 'c.id').onRef('m.member_id', '=', 'p.member_id').on('m.kind', '=', kind),
    )
    .selectAll('c')
    .select(['m.role', 'r.member_count'])
    .select(placeColumns.map((column) => `p.${column}` as const))
    .where('p.member_id', '=', memberId)
    .where('p.left_seq', 'is', null);
}

/** The same without those that the member does not see in lists. */
export function listedSeatsOf(ctx: Pick<Context, 'db'>, memberId: string) {
  return seatsOf(ctx, memberId)
    .where((e) => e.or([e('p.closed', '=', 0), e('c.last_seq', '>', e.ref('p.cleared_seq'))]))
    .where((e) =>
      e.or([e('c.request', 'is', null), e('c.request', '=', 'accepted'), e('c.created_by', '=', memberId)]),
    );
}

/** A query for what others asked a member for, without whom a block parts from them or the node has suspended: rows of `Seat`. */
export function requestedOf(ctx: Pick<Context, 'db'>, memberId: string, status: string) {
  return seatsOf(ctx, memberId)
    .where('c.request', '=', status)
    .where('c.created_by', '!=', memberId)
    .where((e) =>
      e.exists(
        e
          .selectFrom('members as s')
          .select('s.id')
          .whereRef('s.id', '=', 'c.created_by')
          .where('s.status', '=', 'active'),
      ),
    )
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('member_blocks as b')
            .select('b.member_id')
            .where((one) =>
              one.or([
                one.and([one('b.member_id', '=', memberId), one('b.blocked_id', '=', one.ref('c.created_by'))]),
                one.and([one('b.blocked_id', '=', memberId), one('b.member_id', '=', one.ref('c.created_by'))]),
              ]),
            ),
        ),
      ),
    );
}

/**
 * Conversations that a member is in, those with the newest activity.
 * @param only ids of those that are looked at; without it, all
 * @param within only these: ids, names, or usernames of the other one of two; what names nothing of theirs is left out
 */
export async function ownSeats(
  ctx: Pick<Context, 'db'>,
  memberId: string,
  {
    types,
    within,
    only,
    most,
  }: {
    readonly types: readonly ConversationType[];
    readonly within: readonly string[];
    readonly only?: readonly string[];
    readonly most: number;
  },
): Promise<Seat[]> {
  const { kind } = roomOf('');
  let query = listedSeatsOf(ctx, memberId).where('c.type', 'in', types);
  if (only !== undefined) query = query.where('c.id', 'in', only);
  if (within.length > 0) {
    const ids = [...within.map((text) => text.toLowerCase()), ...(await groupsNamed(ctx, memberId, within))];
    query = query.where((e) =>
      e.or([
        e('c.id', 'in', ids),
        e('c.name_key', 'in', within.map(channelNameKey)),
        e.exists(
          e
            .selectFrom('room_members as o')
            .innerJoin('members as u', 'u.id', 'o.member_id')
            .select('o.member_id')
            .whereRef('o.room_id', '=', 'c.id')
            .where('o.kind', '=', kind)
            .where('c.pair', 'is not', null)
            .where('o.member_id', '!=', memberId)
            .where('u.username_key', 'in', within.map(usernameKey)),
        ),
      ]),
    );
  }
  return await query.orderBy('c.active_at', 'desc').orderBy('c.id', 'desc').limit(most).execute();
}

const namesOfGroups = writtenQuery<{ id: string; name: string }>(`
  select c.id, c.name from conversation_places p join conversations c on c.id = p.conversation_id
  where p.member_id = $1 and p.left_seq is null and c.type in ('group', 'social_group')`);

/** Their case is not looked at. Neither engine folds it for all scripts. */
async function groupsNamed({ db }: Pick<Context, 'db'>, memberId: string, names: readonly string[]): Promise<string[]> {
  const wanted = new Set(names.map(channelNameKey));
  const { rows } = await db.executeQuery(namesOfGroups(memberId));
  return rows.filter(({ name }) => wanted.has(channelNameKey(name))).map(({ id }) => id);
}
