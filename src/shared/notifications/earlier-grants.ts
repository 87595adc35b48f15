import type { Context } from '../../service/context.ts';
import { stepJob } from '../../service/step-job.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { JobHandler } from '../../platform/store/jobs/jobs.ts';
import { planJob } from '../../platform/store/jobs/plans.ts';
import { writtenQuery } from '../../platform/store/written-query.ts';
import { listed } from './listed.ts';
import { notify } from './notify.ts';

const BATCH = 10;

interface Payload {
  /** the time of the first step: what is granted later is not by app passwords */
  readonly until?: number;
  /** id of the last member who was looked at */
  readonly after?: string;
}

interface Holder {
  readonly member_id: string;
  /** when the earliest app password with the scope was made that there is */
  readonly since: number;
}

const nextHolders = writtenQuery<Holder>(`
  select member_id, min(created_at) as since from app_passwords
  where member_id > $1 and scopes like $2 and created_at <= $3
  group by member_id order by member_id limit $4`);

export interface EarlierGrants {
  readonly scope: Extract<Scope, 'files' | 'mail'>;
  /** what such app passwords could do: "share files" */
  readonly could: string;
  /** what to do about those that nobody knows */
  readonly advice: string;
  /**
   * Pages of texts, one text for each thing that a member granted in this time and that is in force; no secrets and no names of files.
   * Pages may be of any length, and empty. What a member may have any number of is read a page at a time.
   */
  list(this: void, tx: Context, memberId: string, since: number, until: number): AsyncIterable<readonly string[]>;
}

/**
 * Tells members once, after the upgrade, what app passwords of theirs may have granted while they could. With what a right was granted is
 * not recorded, so it is everything since the earliest app password of the scope. Those that were removed before are not known any more.
 */
export function earlierGrantsHandler(ctx: Context, { scope, could, advice, list }: EarlierGrants): JobHandler {
  const kind = `${scope}-earlier-grants`;
  return stepJob<Payload, Holder & { readonly until: number }>(ctx, {
    what: 'listing what app passwords may have granted',
    most: BATCH,
    async next(tx, { until = tx.clock.now(), after = '' }, most) {
      const { rows } = await tx.db.executeQuery(nextHolders(after, `%"${scope}"%`, until, most));
      return rows.map((row) => Object.assign(row, { until }));
    },
    async work(tx, holders) {
      for (const { member_id: memberId, since, until } of holders) {
        const all = await listed(list(tx, memberId, since, until), (granted) =>
          tx.log.warn('app passwords may have granted this before the upgrade', { memberId, since, granted }),
        );
        if (all === undefined) continue;
        const day = new Date(since).toISOString().slice(0, 10);
        const content = `Until now app passwords could ${could}. Nobody knows what was done with one, so this is all since your first on ${day} that is in force: ${all}. ${advice}`;
        await notify(tx, { recipientId: memberId, type: 'security_alert', content });
      }
    },
    after: (_, { member_id: after, until }) => ({ until, after }),
    async plan(tx, payload) {
      const now = tx.clock.now();
      await planJob(tx.db, { id: kind, kind, payload, runAt: now, now });
    },
  });
}
