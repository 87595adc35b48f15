import { requireRole, type Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { RoleRequirement } from '../../contract/operation.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { assertLiveAppPassword } from './app-passwords.ts';
import { unauthorized } from './authenticate.ts';
import { assertLiveBot } from './bot-tokens.ts';

/**
 * For work that took time after the request was accepted: a session, app password or bot token that ended meanwhile must leave nothing behind. A
 * connection of an app password that stays open calls it before each command.
 *
 * @throws Problem unauthenticated UNAUTHORIZED
 */
export async function assertStillSignedIn(tx: Context, actor: Actor): Promise<void> {
  if (actor.bot !== undefined) return await assertLiveBot(tx, actor.bot.id);
  if (actor.appPassword !== undefined) return await assertLiveAppPassword(tx, actor.appPassword);
  const { rows } = await tx.db.executeQuery(sessionById(actor.sessionId));
  if (rows.length === 0) throw unauthorized();
}

const sessionById = writtenQuery('select id from sessions where id = $1');

/** The same check for a role: an actor who lost the role meanwhile changes nothing. The operator has no session and can't lose its role. */
export async function assertStillAllowed(tx: Context, actor: Actor, requirement: RoleRequirement): Promise<void> {
  if (actor.type === 'System') return;
  const member = await tx.db
    .selectFrom('sessions as s')
    .innerJoin('members as m', 'm.id', 's.member_id')
    .select(['m.type', 'm.status'])
    .where('s.id', '=', actor.sessionId)
    .executeTakeFirst();
  if (member?.status !== 'active') throw unauthorized();
  requireRole({ ...actor, type: member.type }, requirement);
}
