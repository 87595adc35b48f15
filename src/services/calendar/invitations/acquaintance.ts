import type { Context } from '../../../service/context.ts';
import { namedQuery } from '../../../platform/store/written-query.ts';
import { partyKey } from './rows.ts';

const acquainted = namedQuery<{ id: string }, 'me' | 'other' | 'now' | 'mine' | 'theirs'>(`
  select m.id from members m where m.id = :other and (
    exists (select 1 from social_follows f where f.follower_id = :me and f.followee_id = :other and f.requested = 0)
    or exists (select 1 from calendar_shares s join calendars c on c.id = s.calendar_id
      where (s.expires_at is null or s.expires_at > :now)
        and ((c.owner_id = :me and s.granted_to = :other) or (c.owner_id = :other and s.granted_to = :me)))
    or exists (select 1 from calendar_invitations i
      where i.member_id = :me and i.organizer_key = :theirs and i.status in ('accepted', 'tentative'))
    or exists (select 1 from calendar_invitations i
      where i.member_id = :other and i.organizer_key = :mine)
    or exists (select 1 from room_members a
      join rooms r on r.kind = a.kind and r.id = a.room_id and r.member_count <= 200
      join room_members o on o.kind = a.kind and o.room_id = a.room_id and o.member_id = :other
      join conversations c on c.id = a.room_id and c.type in ('group', 'channel', 'social_group')
      where a.member_id = :me and a.kind = 'conversation'))`);

/**
 * Whether a member knows another one: follows them, is in a small group or channel with them, shares a calendar, accepted an invitation of theirs, or
 * invited them.
 */
export async function knows({ db, clock }: Pick<Context, 'db' | 'clock'>, me: string, other: string): Promise<boolean> {
  const [mine, theirs] = [me, other].map((memberId) => partyKey({ memberId, key: '' }));
  const asked = { me, other, now: clock.now(), mine, theirs };
  return (await db.executeQuery(acquainted(asked))).rows.length > 0;
}

const accepted = namedQuery<{ id: string }, 'me' | 'organizer'>(`
  select i.id from calendar_invitations i
  where i.member_id = :me and i.organizer_key = :organizer and i.status in ('accepted', 'tentative') limit 1`);

/** The same of somebody who is not a member of this node: an invitation of theirs was accepted before. */
export async function knowsAddress({ db }: Pick<Context, 'db'>, me: string, organizerKey: string): Promise<boolean> {
  return (await db.executeQuery(accepted({ me, organizer: organizerKey }))).rows.length > 0;
}
