import { hash } from 'node:crypto';
import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import { socketLimits } from '../../contract/realtime/limits.ts';
import { unauthorized } from './authenticate.ts';
import { assertStillSignedIn } from './still-signed-in.ts';

const ticketBytes = 32;
const ticketShape = /^[\w-]{43}$/;

/** Creates a ticket that signs in one socket for the session that asks for it. The store has only its hash. */
export async function createTicket(ctx: Context, actor: Actor): Promise<{ ticket: string; expiresAt: string }> {
  const ticket = Buffer.from(ctx.random(ticketBytes)).toString('base64url');
  const now = ctx.clock.now();
  const expiresAt = now + socketLimits.ticketSeconds * 1000;
  await transaction(ctx, async (tx) => {
    await assertStillSignedIn(tx, actor);
    await tx.db
      .deleteFrom('socket_tickets')
      .where('session_id', '=', actor.sessionId)
      .where('expires_at', '<=', now)
      .execute();
    await tx.db
      .insertInto('socket_tickets')
      .values({ ticket_hash: ticketHash(ticket), session_id: actor.sessionId, expires_at: expiresAt })
      .execute();
  });
  return { ticket, expiresAt: new Date(expiresAt).toISOString() };
}

/**
 * Finds the actor of a ticket and uses the ticket up.
 * @throws Problem unauthenticated UNAUTHORIZED, the same for every reason
 */
export async function redeemTicket(
  ctx: Context,
  ticket: string,
): Promise<Pick<Actor, 'memberId' | 'username' | 'type' | 'sessionId'>> {
  if (!ticketShape.test(ticket)) throw unauthorized();
  const now = ctx.clock.now();
  const used = await ctx.db
    .deleteFrom('socket_tickets')
    .where('ticket_hash', '=', ticketHash(ticket))
    .returning(['session_id', 'expires_at'])
    .executeTakeFirst();
  if (used === undefined || used.expires_at <= now) throw unauthorized();
  const session = await ctx.db
    .selectFrom('sessions as s')
    .innerJoin('members as m', 'm.id', 's.member_id')
    .select(['s.id', 's.expires_at', 'm.id as member_id', 'm.username', 'm.type', 'm.status'])
    .where('s.id', '=', used.session_id)
    .executeTakeFirst();
  if (session?.status !== 'active' || session.expires_at <= now) throw unauthorized();
  return { memberId: session.member_id, username: session.username, type: session.type, sessionId: session.id };
}

export async function purgeTickets(ctx: Context): Promise<void> {
  await ctx.store.transaction(
    async (db) => await db.deleteFrom('socket_tickets').where('expires_at', '<=', ctx.clock.now()).execute(),
  );
}

function ticketHash(ticket: string): string {
  return hash('sha256', ticket, 'hex');
}
