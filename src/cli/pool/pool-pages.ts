import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { perform } from '../../client/perform.ts';
import { pool } from '../../contract/pool.ts';
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
