import type { Actor } from '../../service/actor.ts';
import { transaction, type Context } from '../../service/context.ts';
import type { leaving, LeavingState } from '../../contract/chat/leaving.ts';
import type { InputOf } from '../../contract/operation.ts';
import { eraseEvents } from '../../platform/store/event-rows.ts';
import { forgetReplies } from '../../platform/store/idempotency.ts';
import type { JobHandler } from '../../platform/store/jobs/jobs.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';
import { onlyRow, writtenQuery } from '../../platform/store/written-query.ts';
import { dropUploadsOf } from '../../shared/conversations/attachments/purge.ts';
import { topicOfInbox } from '../../shared/conversations/conversation.ts';
import { eraseMember } from '../../shared/conversations/leaving.ts';
import { audit } from '../../shared/members/audit.ts';
import { invalidCredentials, isStill, openCredentials, untilFresh } from '../../shared/members/credentials.ts';
import { requireHolder } from '../../shared/members/holder.ts';
import { assertStillSignedIn } from '../../shared/members/still-signed-in.ts';

const leavingKind = 'chat-leaving';

const jobOf = (memberId: string): string => `${leavingKind}/${memberId}`;

/** A job leaves all conversations and erases what the member has in them. Asked again, a job that gave up begins anew. */
export async function leaveAll(
  ctx: Context,
  actor: Actor,
  { password }: InputOf<typeof leaving.leaveAll>,
): Promise<LeavingState> {
  const { memberId } = actor;
  return await untilFresh(async () => {
    const member = await requireHolder(ctx, memberId);
    if ((await openCredentials(ctx, member, password)) === undefined) {
      audit(ctx, actor, 'chat.leave-failed', memberId);
      throw invalidCredentials();
    }
    return await transaction(ctx, async (tx) => {
      await assertStillSignedIn(tx, actor);
      if (!(await isStill(tx.db, member))) return undefined;
      // They have the words of what was written in the last day.
      await forgetReplies(tx.db, memberId);
      const now = tx.clock.now();
      await planJob(tx.db, { id: jobOf(memberId), kind: leavingKind, payload: { memberId }, runAt: now, now });
      audit(tx, actor, 'chat.leave', memberId);
      return await stateOf(tx, memberId);
    });
  });
}

export async function leavingState(ctx: Context, { memberId }: Actor): Promise<LeavingState> {
  return await stateOf(ctx, memberId);
}

const left = writtenQuery<{ conversations: number; jobs: number }>(`
  select count(*) as conversations, (select count(*) from jobs j where j.id = $1) as jobs
  from conversation_places p join conversations c on c.id = p.conversation_id
  where p.member_id = $2 and c.type in ('direct', 'group', 'channel')`);

async function stateOf({ db }: Pick<Context, 'db'>, memberId: string): Promise<LeavingState> {
  const { conversations, jobs } = onlyRow((await db.executeQuery(left(jobOf(memberId), memberId))).rows);
  return { leaving: jobs > 0, conversations };
}

/** Finds what is left at each step, so it can begin anew at any time. */
export function leavingHandler(ctx: Context): JobHandler {
  return async (payload, { signal }) => {
    const { memberId } = payload as { readonly memberId: string };
    for (const ofMany of ['group', 'channel'] as const)
      await eraseMember(ctx, memberId, { types: { ofTwo: 'direct', ofMany } }, signal);
    await dropUploadsOf(ctx, memberId);
    // It names where the member was. Leaving tells it too, so this comes last.
    await transaction(ctx, async (tx) => await eraseEvents(tx.db, topicOfInbox(memberId)));
  };
}
