import { sql } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { QuorumMetrics } from '../../../contract/quorum/audit.ts';
import { requireInsider } from '../access.ts';
import { countHoldersChanged, countOutOfReach } from '../documents/holders.ts';
import { currentEpoch } from '../members/epochs.ts';

export async function metrics(ctx: Context, actor: Actor): Promise<{ metrics: QuorumMetrics }> {
  await requireInsider(ctx, actor);
  return { metrics: await measured(ctx) };
}

/** The numbers of the quorum, from its rows. */
async function measured(ctx: Context): Promise<QuorumMetrics> {
  const [{ number, memberIds }, proposals, votes, documents, ended] = await Promise.all([
    currentEpoch(ctx),
    countProposals(ctx),
    countVotes(ctx),
    countDocuments(ctx),
    countEnded(ctx),
  ]);
  const { total, holdersChanged } = documents;
  return {
    proposals,
    votes,
    members: { active: memberIds.length },
    epoch: { current: number },
    redistribution: { progress: total === 0 ? 1 : (total - holdersChanged) / total, failures: ended.failures },
    expiration: {
      lastRun: ended.lastRun === null ? null : new Date(ended.lastRun).toISOString(),
      expiredTotal: ended.expiredTotal,
    },
    documents,
  };
}

async function countProposals({ db }: Context): Promise<QuorumMetrics['proposals']> {
  return await db
    .selectFrom('quorum_proposals')
    .select(({ fn }) => [
      fn.countAll<number>().as('total'),
      fn.countAll<number>().filterWhere('status', '=', 'pending').as('pending'),
    ])
    .executeTakeFirstOrThrow();
}

async function countVotes({ db }: Context): Promise<QuorumMetrics['votes']> {
  const { total, waited } = await db
    .selectFrom('quorum_votes as v')
    .innerJoin('quorum_proposals as p', 'p.id', 'v.proposal_id')
    .select(({ fn }) => [
      fn.countAll<number>().as('total'),
      sql<number>`cast(coalesce(sum(v.created_at - p.created_at), 0) as bigint)`.as('waited'),
    ])
    .executeTakeFirstOrThrow();
  return { total, latencyMs: total === 0 ? 0 : Math.round(waited / total) };
}

async function countDocuments(ctx: Context): Promise<QuorumMetrics['documents']> {
  const { total } = await ctx.db
    .selectFrom('quorum_documents')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { total, holdersChanged: await countHoldersChanged(ctx), outOfReach: await countOutOfReach(ctx) };
}

interface Ended {
  readonly failures: number;
  readonly expiredTotal: number;
  readonly lastRun: number | null;
}

async function countEnded({ db }: Context): Promise<Ended> {
  const { rows } = await sql<{ expired: number; newest: number | null }>`
    select count(*) as expired, max(decided_at) as newest from quorum_proposals where status = 'expired'
    union all select count(*), max(ended_at) from quorum_sessions where status = 'expired'
    union all select count(*), max(ended_at) from quorum_reshares where status = 'expired'`.execute(db);
  // A reason says that the rules ended it, and nobody who asked for that.
  const { failures } = await db
    .selectFrom('quorum_reshares')
    .select(({ fn }) => fn.countAll<number>().as('failures'))
    .where((e) =>
      e.or([e('status', '=', 'expired'), e.and([e('status', '=', 'cancelled'), e('reason', 'is not', null)])]),
    )
    .executeTakeFirstOrThrow();
  const moments = rows.flatMap(({ newest }) => (newest === null ? [] : [newest]));
  return {
    failures,
    expiredTotal: rows.reduce((sum, { expired }) => sum + expired, 0),
    lastRun: moments.length === 0 ? null : Math.max(...moments),
  };
}
