import type { Context } from '../../service/context.ts';
import type { Book } from '../../contract/contacts/books.ts';
import type { ListedCard } from '../../contract/contacts/fields.ts';
import { contactsLimits, membersBook } from '../../contract/contacts/limits.ts';
import { sha256HexOfText } from '../../crypto/hash.ts';
import { namedQuery } from '../../platform/store/written-query.ts';
import { mailDomain } from '../../shared/members/mail-domain.ts';
import { notThere } from './access.ts';
import { checkedCard } from './vcard/check.ts';
import { summaryOf, type CardSummary } from './vcard/summary.ts';
import { folded } from './vcard/lines.ts';
import { componentValue, escapeValue } from './vcard/values.ts';

interface Acquaintance {
  readonly id: string;
  readonly username: string;
}

/**
 * Whom a member follows, and who is in a room with them that is small enough for people to know each other. Conversations of two are none:
 * anybody can begin one. It is asked each time, so that whoever left, blocked or was suspended is gone at once.
 */
const acquaintances = `
  select m.id, m.username from members m
  where m.status = 'active' and m.id <> :me
  and not exists (select 1 from member_blocks b where b.member_id = m.id and b.blocked_id = :me)
  and not exists (select 1 from member_blocks b where b.member_id = :me and b.blocked_id = m.id)
  and m.id in (
    select f.followee_id from social_follows f where f.follower_id = :me and f.requested = 0
    union select o.member_id from room_members a
      join rooms r on r.kind = a.kind and r.id = a.room_id and r.member_count <= :size
      join room_members o on o.kind = a.kind and o.room_id = a.room_id
      where a.member_id = :me and (a.kind = 'hub' or (a.kind = 'conversation' and exists (
        select 1 from conversations c where c.id = a.room_id and c.type in ('group', 'channel', 'social_group')))))`;

const all = namedQuery<Acquaintance, 'me' | 'size' | 'most'>(`${acquaintances} order by m.id limit :most`);
const one = namedQuery<Acquaintance, 'me' | 'size' | 'id'>(`${acquaintances} and m.id = :id`);

/** A member as a contact. */
export interface MemberCard {
  readonly username: string;
  readonly listed: ListedCard;
  readonly summary: CardSummary;
  readonly text: string;
}

export async function memberCards(ctx: Pick<Context, 'db' | 'config'>, memberId: string): Promise<MemberCard[]> {
  const { rows } = await ctx.db.executeQuery(
    all({ me: memberId, size: contactsLimits.roomMembers, most: contactsLimits.looked }),
  );
  const domain = mailDomain(ctx);
  return rows.map((row) => cardOf(row, domain));
}

/** @throws Problem missing NOT_FOUND */
export async function requireMemberCard(
  ctx: Pick<Context, 'db' | 'config'>,
  memberId: string,
  id: string,
): Promise<MemberCard> {
  const { rows } = await ctx.db.executeQuery(one({ me: memberId, size: contactsLimits.roomMembers, id }));
  const [row] = rows;
  if (row === undefined) throw notThere('contact');
  return cardOf(row, mailDomain(ctx));
}

/** The book itself. */
export async function bookOfMembers(ctx: Pick<Context, 'db' | 'config'>, memberId: string): Promise<Book> {
  const cards = await memberCards(ctx, memberId);
  return {
    id: membersBook,
    displayName: 'Members',
    description: 'Whom you follow, and who is in small groups, channels and hubs with you',
    isDefault: false,
    readOnly: true,
    cardCount: cards.length,
    ctag: etagOf(cards.map(({ listed }) => listed.etag).join()),
  };
}

function etagOf(text: string): string {
  return sha256HexOfText(text).slice(0, 32);
}

function cardOf({ id, username }: Acquaintance, domain: string): MemberCard {
  const lines = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    'PRODID:-//Conclave//Contacts//EN',
    `UID:conclave-member-${id}`,
    `FN:${escapeValue(username)}`,
    `N:${componentValue(['', username, '', '', ''])}`,
    ...(domain === '' ? [] : [`EMAIL;TYPE=INTERNET:${escapeValue(`${username}@${domain}`)}`]),
    'END:VCARD',
  ];
  const text = lines.map((line) => folded(line)).join('');
  const summary = summaryOf(checkedCard(text).reading);
  const { kind, displayName, organization, emails, phones } = summary;
  const listed = { id, bookId: membersBook, etag: etagOf(text), kind, displayName, organization };
  return { username, listed: { ...listed, emails: [...emails], phones: [...phones] }, summary, text };
}
