import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { perform } from '../../client/perform.ts';
import { pool } from '../../contract/pool.ts';
import type { WaitingMessage } from '../../contract/pool/outbox.ts';
import type { AccessListSummary, PoolNode } from '../../contract/pool/shapes.ts';

type Refusal = NonNullable<PoolNode['refusal']>;

/** The nodes of the pool, and those that it refused. */
export async function allNodes(client: Client): Promise<{ nodes: PoolNode[]; refused: readonly Refusal[] }> {
  const { refused = [] } = await perform(client, pool.nodes, { limit: 1 });
  return { nodes: (await collectPages(client, pool.nodes, {}, 'nodes')).items, refused };
}

/** The newest versions, up to a limit. */
export async function versions(
  client: Client,
  most: number,
): Promise<{ versions: AccessListSummary[]; hasMore: boolean }> {
  const { items, hasMore } = await collectPages(client, pool.aclHistory, {}, 'versions', { most });
  return { versions: items, hasMore };
}

/** The oldest messages that wait, up to a limit, and how much waits in all. */
export async function waitingMessages(
  client: Client,
  most: number,
): Promise<{ messages: WaitingMessage[]; count: number; bytes: number; hasMore: boolean }> {
  const total = { count: 0, bytes: 0 };
  const each = ({ count, bytes }: typeof total) => void Object.assign(total, { count, bytes });
  const { items, hasMore } = await collectPages(client, pool.outbox, {}, 'messages', { most, each });
  return { messages: items, ...total, hasMore };
}
