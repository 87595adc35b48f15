import { createHash, timingSafeEqual } from 'node:crypto';
import type { Actor, Guest } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { CalendarLink, links } from '../../contract/calendar/links.ts';
import type { LinkDetail } from '../../contract/calendar/limits.ts';
import type { InputOf, ReplyOf } from '../../contract/operation.ts';
import { fieldProblem } from '../../base/problem.ts';
import { utf8 } from '../../crypto/bytes.ts';
import { sha256Hex } from '../../crypto/hash.ts';
import { lockMembers } from '../../platform/store/member-storage.ts';
import type { CalendarLinkRow, CalendarRow } from '../../platform/store/tables/calendars.ts';
import { insertRows, writtenQuery } from '../../platform/store/written-query.ts';
import type { Download } from '../../service/raw-bodies.ts';
import { once } from '../../service/repeats.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';
import { notThere, requireCalendar } from './access.ts';
import { reachedUrl } from './address.ts';
import { publicText } from './links/public-text.ts';
import { zonesVersion } from './objects/known-zones.ts';

type Contract = typeof links;

const TOKEN_BYTES = 32;
const tokenForm = /^([A-Za-z0-9_-]{43})\.ics$/;
const WEEK_MS = 7 * 86_400_000;

const replace = `on conflict (calendar_id, detail) do update
  set token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at`;

export async function createPublicLink(
  ctx: Context,
  actor: Actor,
  { calendarId, detail, expiresAt }: InputOf<Contract['createPublicLink']>,
): Promise<ReplyOf<Contract['createPublicLink']>> {
  const { memberId } = actor;
  return await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireCalendar(tx, memberId, calendarId, 'owner');
    return await once(tx, async () => {
      const now = tx.clock.now();
      const expires = expiresAt === undefined ? null : Date.parse(expiresAt);
      if (expires !== null && expires <= now) throw fieldProblem('expiresAt', 'must be in the future');
      // Whoever deletes the calendar does so before or after.
      await lockMembers(tx, [memberId]);
      await requireCalendar(tx, memberId, calendarId, 'owner');
      const token = Buffer.from(tx.random(TOKEN_BYTES)).toString('base64url');
      const row: CalendarLinkRow = {
        calendar_id: calendarId,
        detail,
        token_hash: sha256Hex(utf8(token)),
        created_at: now,
        expires_at: expires,
      };
      await insertRows(tx.db, 'calendar_links', [row], replace);
      const url = `${reachedUrl(tx)}/api/cal/public/${token}.ics`;
      return { link: toLink(row), token, url, webcalUrl: url.replace(/^https?:/, 'webcal:') };
    });
  });
}

const ofCalendar = writtenQuery<CalendarLinkRow>(`
  select * from calendar_links where calendar_id = $1 and (expires_at is null or expires_at > $2) order by detail desc`);

export async function listPublicLinks(
  ctx: Context,
  { memberId }: Actor,
  { calendarId }: InputOf<Contract['listPublicLinks']>,
): Promise<ReplyOf<Contract['listPublicLinks']>> {
  await requireCalendar(ctx, memberId, calendarId, 'owner');
  const { rows } = await ctx.db.executeQuery(ofCalendar(calendarId, ctx.clock.now()));
  return { links: rows.map(toLink) };
}

const revokeAll = writtenQuery<CalendarLinkRow>('delete from calendar_links where calendar_id = $1 returning *');
const revokeOne = writtenQuery<CalendarLinkRow>(
  'delete from calendar_links where calendar_id = $1 and detail = $2 returning *',
);

export async function revokePublicLink(
  ctx: Context,
  actor: Actor,
  { calendarId, detail }: InputOf<Contract['revokePublicLink']>,
): Promise<{ success: true }> {
  await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await requireCalendar(tx, actor.memberId, calendarId, 'owner');
    const query = detail === undefined ? revokeAll(calendarId) : revokeOne(calendarId, detail);
    const { rows } = await tx.db.executeQuery(query);
    if (!rows.some((row) => isLeft(row, tx.clock.now()))) throw notThere('address');
  });
  return { success: true };
}

interface Opened extends CalendarRow, Pick<CalendarLinkRow, 'detail' | 'token_hash' | 'expires_at'> {}

const byHash = writtenQuery<Opened>(`
  select c.*, l.detail, l.token_hash, l.expires_at from calendar_links l
  join calendars c on c.id = l.calendar_id
  join members o on o.id = c.owner_id and o.status = 'active'
  where l.token_hash = $1`);

/** All that ends an address has one answer. @throws Problem missing NOT_FOUND */
export async function openPublicLink(
  ctx: Context,
  _guest: Guest,
  { file }: InputOf<Contract['openPublicLink']>,
): Promise<Download> {
  const hash = sha256Hex(utf8(tokenForm.exec(file)?.[1] ?? ''));
  const { rows } = await ctx.db.executeQuery(byHash(hash));
  const [row] = rows;
  if (row === undefined || !isSame(row.token_hash, hash) || !isLeft(row, ctx.clock.now())) throw notThere();
  const { detail: shows, token_hash: _hash, expires_at: _end, ...calendar } = row;
  const detail = shows as LinkDetail;
  return {
    type: 'text/calendar; charset=utf-8',
    filename: `${calendar.name}.ics`,
    version: versionOf(ctx, calendar, detail),
    headers: { 'cache-control': 'private, no-cache', 'x-robots-tag': 'noindex, nofollow' },
    content: { flow: () => publicText(ctx, calendar, detail) },
  };
}

/** What was found by its hash has it. An index is no comparison, and may be asked for a part. */
function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(utf8(one), utf8(other));
}

function isLeft({ expires_at: end }: Pick<CalendarLinkRow, 'expires_at'>, now: number): boolean {
  return end === null || end > now;
}

/** All that the text is made of. What is free and what is taken is known for some time ahead, which goes on with each week. */
function versionOf({ clock }: Context, calendar: CalendarRow, detail: LinkDetail): string {
  const { id, change_seq: seq, modified_at: modified } = calendar;
  const week = detail === 'freebusy' ? Math.floor(clock.now() / WEEK_MS) : 0;
  const parts = ['v1', id, seq, modified, detail, week, zonesVersion];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32);
}

function toLink({ calendar_id: calendarId, detail, created_at: at, expires_at: end }: CalendarLinkRow): CalendarLink {
  return {
    calendarId,
    detail: detail as LinkDetail,
    createdAt: new Date(at).toISOString(),
    ...(end !== null && { expiresAt: new Date(end).toISOString() }),
  };
}
