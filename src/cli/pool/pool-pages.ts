import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { perform } from '../../client/perform.ts';
import { pool } from '../../contract/pool.ts';
import type { WaitingMessage } from '../../contract/pool/outbox.ts';
import type { AccessListSummary, PoolNode } from '../../contract/pool/shapes.ts';
import type { Shown } from '../kit/list-command.ts';

type Refusal = NonNullable<PoolNode['refusal']>;

/** The nodes of the pool, and those that it refused. */
export async function allNodes(client: Client): Promise<{ nodes: PoolNode[]; refused: readonly Refusal[] }> {
  const { refused = [] } = await perform(client, pool.nodes, { limit: 1 });
  return { nodes: (await collectPages(client, pool.nodes, {}, 'nodes')).items, refused };
}

/** Versions, the newest first. */
export async function historyPage(
  client: Client,
  shown: Shown,
): Promise<{ versions: AccessListSummary[]; hasMore: boolean; cursor?: string }> {
  const { items: versions, ...more } = await collectPages(client, pool.aclHistory, {}, 'versions', shown);
  return { versions, ...more };
}

/** Messages that wait, the oldest first, and how much waits in all. */
export async function waitingMessages(
  client: Client,
  shown: Shown,
): Promise<{ messages: WaitingMessage[]; count: number; bytes: number; hasMore: boolean; cursor?: string }> {
  const total = { count: 0, bytes: 0 };
  const each = ({ count, bytes }: typeof total) => void Object.assign(total, { count, bytes });
  const { items: messages, ...more } = await collectPages(client, pool.outbox, {}, 'messages', { ...shown, each });
  return { messages, ...total, ...more };
}
