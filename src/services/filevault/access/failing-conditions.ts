import type { Context } from '../../../service/context.ts';
import { stepJob } from '../../../service/step-job.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { planJob } from '../../../platform/store/jobs/plans.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { listed } from '../../../shared/notifications/listed.ts';
import { notify } from '../../../shared/notifications/notify.ts';

const kind = 'file-failing-conditions';

/** Containers of one transaction. */
const BATCH = 5;
/** Members of lists that are looked at together: a container may have any number. */
const PAGE = 500;

interface Container {
  readonly id: string;
  readonly owner_id: string;
}

const nextContainers = writtenQuery<Container>(`
  select id, owner_id from file_containers
  where id > $1 and id in (select container_id from file_acl_entries where conditions is not null)
  order by id limit $2`);

interface Place {
  readonly node_id: string;
  readonly principal_id: string;
}

/** Somebody whom a list names under conditions alone. */
interface Conditional extends Place {
  readonly kind: number;
  /** 1 if a list further up names them too: that one decided while the conditions failed */
  readonly affected: number;
}

const nextConditional = writtenQuery<Conditional>(`
  with recursive page (node_id, principal_id) as (
    select node_id, principal_id from file_acl_entries
    where container_id = $1 and (node_id, principal_id) > ($2, $3)
    group by node_id, principal_id having count(*) = count(conditions)
    order by node_id, principal_id limit $4
  ), up (start, principal_id, parent_id) as (
    select n.id, page.principal_id, n.parent_id from page join file_nodes n on n.id = page.node_id
    union all
    select up.start, up.principal_id, n.parent_id from up join file_nodes n on n.id = up.parent_id
  )
  select page.node_id, page.principal_id, n.kind, case when (page.node_id, page.principal_id) in (
    select up.start, up.principal_id
    from up join file_acl_entries e on e.node_id = up.parent_id and e.principal_id = up.principal_id
  ) then 1 else 0 end as affected
  from page join file_nodes n on n.id = page.node_id
  order by page.node_id, page.principal_id`);

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

async function tell(tx: Context, { id: containerId, owner_id: recipientId }: Container): Promise<void> {
  const all = await listed(affectedIn(tx, containerId), (entries) =>
    tx.log.warn('entries of access lists refuse more since the upgrade, while their conditions fail', {
      containerId,
      entries,
    }),
  );
  if (all === undefined) return;
  const content = `In the container ${containerId}, these members have nothing now while the conditions of their entries fail, where lists further up decided until now: ${all}. Add an entry without conditions beside it for what somebody is to have at all times.`;
  await notify(tx, { recipientId, type: 'security_alert', content });
}

async function* affectedIn(tx: Context, containerId: string): AsyncGenerator<readonly string[]> {
  let after: Place | undefined = { node_id: '', principal_id: '' };
  while (after !== undefined) {
    const page = nextConditional(containerId, after.node_id, after.principal_id, PAGE);
    const { rows }: { rows: readonly Conditional[] } = await tx.db.executeQuery(page);
    const found = rows.filter(({ affected }) => affected === 1);
    const members = await memberSummaries(tx, [...new Set(found.map((row) => row.principal_id))]);
    yield found.map(
      ({ node_id, principal_id, kind: what }) =>
        `${members.get(principal_id)?.username ?? principal_id} on ${what === 1 ? 'file' : 'folder'} ${node_id}`,
    );
    after = rows.length < PAGE ? undefined : rows.at(-1);
  }
}
