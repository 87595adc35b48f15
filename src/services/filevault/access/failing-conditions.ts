import type { Context } from '../../../service/context.ts';
import { LOGGED_ITEMS } from '../../../base/log-fields.ts';
import { stepJob } from '../../../service/step-job.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { notify } from '../../../shared/notifications/notify.ts';

const kind = 'file-failing-conditions';

/** Containers of one transaction. */
const BATCH = 5;
/** The log names all of them. */
const SHOWN = 20;

interface Container {
  readonly id: string;
  readonly owner_id: string;
}

const nextContainers = writtenQuery<Container>(`
  select id, owner_id from file_containers
  where id > $1 and id in (select container_id from file_acl_entries where conditions is not null)
  order by id limit $2`);

interface Affected {
  readonly node_id: string;
  readonly principal_id: string;
  readonly kind: number;
}

/** Those whom a list names under conditions alone, and one further up names too: that one decided while the conditions failed. */
const affected = writtenQuery<Affected>(`
  with recursive up (start, principal_id, parent_id) as (
    select n.id, e.principal_id, n.parent_id
    from file_acl_entries e join file_nodes n on n.id = e.node_id
    where e.container_id = $1
    group by n.id, e.principal_id, n.parent_id
    having count(*) = count(e.conditions)
    union all
    select up.start, up.principal_id, n.parent_id from file_nodes n join up on n.id = up.parent_id
  )
  select distinct up.start as node_id, up.principal_id, n.kind
  from up join file_nodes n on n.id = up.start
  where exists (select 1 from file_acl_entries e where e.node_id = up.parent_id and e.principal_id = up.principal_id)
  order by node_id, principal_id`);

/**
 * Tells owners of containers once, after the upgrade, whose rights change: an entry whose conditions fail refuses now what lists further up grant.
 */
export function failingConditionsHandler(ctx: Context): JobHandler {
  return stepJob<{ readonly after?: string }, Container>(ctx, {
    what: 'naming entries of access lists whose effect changes',
    most: BATCH,
    next: async (tx, { after = '' }, most) => (await tx.db.executeQuery(nextContainers(after, most))).rows,
    async work(tx, containers) {
      for (const container of containers) await tell(tx, container);
    },
    after: (_, { id }) => ({ after: id }),
    async plan(tx, payload) {
      const now = tx.clock.now();
      await planJob(tx.db, { id: kind, kind, payload, runAt: now, now });
    },
  });
}

async function tell(tx: Context, { id, owner_id: recipientId }: Container): Promise<void> {
  const { rows } = await tx.db.executeQuery(affected(id));
  if (rows.length === 0) return;
  const members = await memberSummaries(tx, [...new Set(rows.map((row) => row.principal_id))]);
  const named = rows.map(
    (row) =>
      `${members.get(row.principal_id)?.username ?? row.principal_id} on ${row.kind === 1 ? 'file' : 'folder'} ${row.node_id}`,
  );
  for (let at = 0; at < named.length; at += LOGGED_ITEMS)
    tx.log.warn('entries of access lists refuse more since the upgrade, while their conditions fail', {
      containerId: id,
      entries: named.slice(at, at + LOGGED_ITEMS),
    });
  const rest = named.length > SHOWN ? `; and ${named.length - SHOWN} more, which the log of the server has` : '';
  const content = `In the container ${id}, these members have nothing now while the conditions of their entries fail, where lists further up decided until now: ${named.slice(0, SHOWN).join('; ')}${rest}. Add an entry without conditions beside it for what somebody is to have at all times.`;
  await notify(tx, { recipientId, type: 'security_alert', content });
}
