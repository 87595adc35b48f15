import { sql, type SelectQueryBuilder } from 'kysely';
import type { Actor, MemberType } from '../../../service/actor.ts';
import { requireRole } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { Member } from '../../../contract/accounts/members.ts';
import { Problem } from '../../../base/problem.ts';
import type { Db } from '../../../platform/store/database.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { MemberRow, Tables } from '../../../platform/store/tables/tables.ts';
import { audit } from '../../../shared/members/audit.ts';
import { emailKey } from '../../../shared/members/names.ts';
import { hasVerifiedEmail, type AddressColumns } from '../../../shared/members/verified-email.ts';
import { sessionsOf, type SessionPage } from '../sessions/open-sessions.ts';

export const administrators = { any: ['Admin', 'System'] } as const;

export interface MemberFilter extends PageRequest {
  readonly query?: string | undefined;
  readonly type?: MemberType | undefined;
  readonly status?: 'active' | 'suspended' | undefined;
}

export interface MemberPage extends Next {
  members: Member[];
}

/** Members, oldest first. */
export async function list(ctx: Context, actor: Actor, filter: MemberFilter): Promise<MemberPage> {
  requireRole(actor, administrators);
  let query = selectMembers(ctx.db, ctx.clock.now());
  if (filter.type !== undefined) query = query.where('m.type', '=', filter.type);
  if (filter.status !== undefined) query = query.where('m.status', '=', filter.status);
  if (filter.query !== undefined) query = matching(query, filter.query);
  const { rows, next } = await readPage(
    ctx,
    query,
    {
      list: 'members.list',
      memberId: actor.memberId,
      filter: { query: filter.query, type: filter.type, status: filter.status },
      by: [asc('m.created_at', (row) => row.created_at), asc('m.id', (row) => row.id)],
    },
    filter,
  );
  audit(ctx, actor, 'members.list');
  return { members: rows.map((row) => memberDto(ctx, row)), ...next };
}

export async function show(ctx: Context, actor: Actor, input: { memberId: string }): Promise<{ member: Member }> {
  requireRole(actor, administrators);
  const member = await memberOf(ctx, input.memberId);
  audit(ctx, actor, 'members.show', input.memberId);
  return { member };
}

export async function sessions(
  ctx: Context,
  actor: Actor,
  input: { memberId: string } & PageRequest,
): Promise<SessionPage> {
  requireRole(actor, administrators);
  await memberOf(ctx, input.memberId);
  audit(ctx, actor, 'members.sessions', input.memberId);
  return await sessionsOf(ctx, input.memberId, actor, { ...input, list: 'members.sessions' });
}

/** @throws Problem missing MEMBER_NOT_FOUND */
export async function memberOf(ctx: Context, memberId: string): Promise<Member> {
  const row = await selectMembers(ctx.db, ctx.clock.now()).where('m.id', '=', memberId).executeTakeFirst();
  if (row === undefined) throw memberNotFound();
  return memberDto(ctx, row);
}

export function memberNotFound(): Problem {
  return new Problem('missing', 'MEMBER_NOT_FOUND', 'There is no such member.');
}

function selectMembers(db: Db, nowMs: number) {
  return db
    .selectFrom('members as m')
    .select(['m.id', 'm.username', 'm.username_key', 'm.email', 'm.email_key', 'm.verified_email_key'])
    .select(['m.type', 'm.status', 'm.public_key', 'm.created_at', 'm.last_login_at'])
    .select((e) =>
      e
        .selectFrom('sessions as s')
        .select((s) => s.fn.countAll<number>().as('live'))
        .whereRef('s.member_id', '=', 'm.id')
        .where('s.expires_at', '>', nowMs)
        .as('sessions'),
    );
}

function matching<O>(query: SelectQueryBuilder<Tables & { m: MemberRow }, 'm', O>, text: string) {
  const literal = emailKey(text).replace(/[\\%_]/g, '\\$&');
  const part = `%${literal}%`;
  return query.where((e) =>
    e.or([
      sql<boolean>`${e.ref('m.username_key')} like ${part} escape '\\'`,
      sql<boolean>`${e.ref('m.email_key')} like ${part} escape '\\'`,
      sql<boolean>`${e.ref('m.id')} like ${`${literal}%`} escape '\\'`,
    ]),
  );
}

type MemberColumns = Pick<
  MemberRow,
  'id' | 'username' | 'email' | 'type' | 'status' | 'public_key' | 'created_at' | 'last_login_at'
> &
  AddressColumns;

function memberDto(ctx: Context, row: MemberColumns & { sessions: number | null }): Member {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    emailVerified: hasVerifiedEmail(ctx, row),
    type: row.type,
    status: row.status,
    publicKey: row.public_key,
    createdAt: new Date(row.created_at).toISOString(),
    ...(row.last_login_at !== null && { lastLogin: new Date(row.last_login_at).toISOString() }),
    sessions: Number(row.sessions),
  };
}
