import type { Actor, Caller, MemberType } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { Session } from '../../../contract/accounts/sessions.ts';
import { Problem } from '../../../base/problem.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { SessionRow } from '../../../platform/store/tables/tables.ts';
import { audit } from '../../../shared/members/audit.ts';
import { jtiHash } from '../../../shared/members/live-session.ts';
import { sealMemberKey } from '../../../shared/members/session-key.ts';
import { assertStillSignedIn } from '../../../shared/members/still-signed-in.ts';
import { signSessionToken } from '../../../shared/members/tokens.ts';

const JTI_LENGTH = 32;
const USER_AGENT_LENGTH = 256;

export interface SessionOwner {
  readonly id: string;
  readonly username: string;
  readonly type: MemberType;
}

/** A session that isn't stored yet. Tokens are signed before the transaction that stores the row. */
export interface NewSession {
  readonly row: SessionRow;
  readonly token: string;
}

/** @param privateKey the member's private key, if the way of signing in opened it */
export async function newSession(
  ctx: Context,
  owner: SessionOwner,
  caller: Caller,
  privateKey?: Uint8Array,
): Promise<NewSession> {
  const now = ctx.clock.now();
  const id = recordId(now, ctx.random);
  const { jti, expiresAt } = newJti(ctx);
  return {
    token: await tokenOf(ctx, owner, { jti, expiresAt }),
    row: {
      id,
      member_id: owner.id,
      jti_hash: jtiHash(jti),
      sealed_key: privateKey === undefined ? null : sealMemberKey(ctx, jti, id, privateKey),
      created_at: now,
      last_used_at: now,
      expires_at: expiresAt,
      user_agent: caller.userAgent.slice(0, USER_AGENT_LENGTH),
    },
  };
}

/** The values that make a token unique, and its expiry. */
export interface NewJti {
  readonly jti: Uint8Array;
  /** whole seconds */
  readonly expiresAt: number;
}

export function newJti(ctx: Context): NewJti {
  const issuedAt = Math.floor(ctx.clock.now() / 1000);
  return { jti: ctx.random(JTI_LENGTH), expiresAt: (issuedAt + lifetimeSeconds(ctx)) * 1000 };
}

export async function tokenOf(ctx: Context, owner: SessionOwner, { jti, expiresAt }: NewJti): Promise<string> {
  const exp = expiresAt / 1000;
  const { id: memberId, username, type } = owner;
  const iat = exp - lifetimeSeconds(ctx);
  return await signSessionToken(ctx.keys.token, { memberId, username, type, jti, iat, exp });
}

function lifetimeSeconds(ctx: Context): number {
  return Math.floor(ctx.config.sessions.lifetimeMs / 1000);
}

/** Ends all sessions of a member (but `except`), and their sockets after the commit. @returns how many were alive */
export async function endSessionsOf(tx: Context, memberId: string, except?: string): Promise<number> {
  const ended = await tx.db
    .deleteFrom('sessions')
    .where('member_id', '=', memberId)
    .where('id', '!=', except ?? '')
    .returning(['id', 'expires_at'])
    .execute();
  const ids = ended.map((session) => session.id);
  if (ids.length > 0) tx.afterCommit(() => tx.realtime.endSessions(ids));
  const now = tx.clock.now();
  return ended.filter((session) => session.expires_at > now).length;
}

export interface SessionPage extends Next {
  sessions: Session[];
}

/** Live sessions of a member, newest first. */
export async function sessionsOf(
  ctx: Context,
  memberId: string,
  actor: Actor,
  page: PageRequest & { readonly list: string },
): Promise<SessionPage> {
  const query = ctx.db
    .selectFrom('sessions')
    .select(['id', 'created_at', 'last_used_at', 'expires_at', 'user_agent'])
    .select((e) => e('sealed_key', 'is not', null).as('unlocked'))
    .where('member_id', '=', memberId)
    .where('expires_at', '>', ctx.clock.now());
  const { rows, next } = await readPage(
    ctx,
    query,
    {
      list: page.list,
      memberId: actor.memberId,
      filter: { of: memberId },
      // Ids sort by creation.
      by: [desc('id', (row) => row.id)],
    },
    page,
  );
  const sessions = rows.map((row) => ({
    id: row.id,
    createdAt: new Date(row.created_at).toISOString(),
    lastUsedAt: new Date(row.last_used_at).toISOString(),
    expiresAt: new Date(row.expires_at).toISOString(),
    userAgent: row.user_agent,
    current: row.id === actor.sessionId,
    keyUnlocked: Boolean(row.unlocked),
  }));
  return { sessions, ...next };
}

export async function listSessions(ctx: Context, actor: Actor, input: PageRequest): Promise<SessionPage> {
  return await sessionsOf(ctx, actor.memberId, actor, { ...input, list: 'account.list-sessions' });
}

export async function endSession(ctx: Context, actor: Actor, input: { id: string }): Promise<Record<string, never>> {
  await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    if (!(await endOwnSession(tx, actor, input.id))) {
      throw new Problem('missing', 'SESSION_NOT_FOUND', 'You have no such session.');
    }
    audit(tx, actor, 'account.end-session', actor.memberId, { session: input.id });
  });
  return {};
}

export async function logout(ctx: Context, actor: Actor): Promise<Record<string, never>> {
  await transaction(ctx, async (tx) => {
    await endOwnSession(tx, actor, actor.sessionId);
    audit(tx, actor, 'account.logout', actor.memberId);
  });
  return {};
}

async function endOwnSession(tx: Context, actor: Actor, id: string): Promise<boolean> {
  const ended = await tx.db
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('member_id', '=', actor.memberId)
    .where('expires_at', '>', tx.clock.now())
    .executeTakeFirst();
  if (ended.numDeletedRows === 0n) return false;
  tx.afterCommit(() => tx.realtime.endSessions([id]));
  return true;
}
