import { sql } from 'kysely';
import { requireRole, type Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { WaitingMessage } from '../../contract/pool/outbox.ts';
import type { OutboxMessageRow, OutboxQueueRow } from '../../platform/store/tables/outbox.ts';
import { asc, readPage, type Next, type PageRequest } from '../../platform/store/page.ts';
import { administrators } from './acl/signer.ts';
import { note } from './note.ts';

export interface OutboxPage extends Next {
  messages: WaitingMessage[];
  count: number;
  bytes: number;
}

/** The messages that wait for other nodes, in the order of sending. */
export async function outbox(ctx: Context, actor: Actor, page: PageRequest): Promise<OutboxPage> {
  requireRole(actor, administrators);
  const query = ctx.db
    .selectFrom('outbox_messages as m')
    .leftJoin('outbox_queues as q', (on) =>
      on.onRef('q.node_id', '=', 'm.node_id').onRef('q.channel', '=', 'm.channel'),
    )
    .select(['m.place', 'm.node_id', 'm.channel', 'm.id', 'm.size', 'm.created_at', 'm.expires_at', 'm.sent_at'])
    .select(['q.attempts', 'q.next_at', 'q.code', 'q.reason']);
  const { rows, next } = await readPage(
    ctx,
    query,
    { list: 'pool.outbox', memberId: actor.memberId, by: [asc('m.place', (row) => row.place)] },
    page,
  );
  const total = await ctx.db
    .selectFrom('outbox_messages')
    .select([sql<number>`count(*)`.as('count'), sql<number>`cast(coalesce(sum(size), 0) as bigint)`.as('bytes')])
    .executeTakeFirstOrThrow();
  const connected = new Set(ctx.gossip.peers().flatMap(({ nodeId, admitted }) => (admitted ? [nodeId] : [])));
  note(ctx, actor, 'pool.outbox');
  const messages = rows.map((row) => messageOf(row, connected));
  return { messages, ...total, ...next };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

type WaitingRow = Pick<
  OutboxMessageRow,
  'node_id' | 'channel' | 'id' | 'size' | 'created_at' | 'expires_at' | 'sent_at'
> & {
  readonly [Column in 'attempts' | 'next_at' | 'code' | 'reason']: OutboxQueueRow[Column] | null;
};

function messageOf(row: WaitingRow, connected: ReadonlySet<string>): WaitingMessage {
  return {
    nodeId: row.node_id,
    channel: row.channel,
    id: row.id,
    size: row.size,
    createdAt: iso(row.created_at),
    expiresAt: iso(row.expires_at),
    ...(row.sent_at !== null && { sentAt: iso(row.sent_at) }),
    connected: connected.has(row.node_id),
    attempts: row.attempts ?? 0,
    ...(row.next_at !== null && { nextAttemptAt: iso(row.next_at) }),
    ...(row.code !== null && { failure: row.code }),
    ...(row.reason !== null && { reason: row.reason }),
  };
}
