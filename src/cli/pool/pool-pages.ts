import type { Client } from '../../client/client.ts';
import { collectPages } from '../../client/pages.ts';
import { pool } from '../../contract/pool.ts';
import type { AccessListSummary, PoolNode } from '../../contract/pool/shapes.ts';

export async function allNodes(client: Client): Promise<PoolNode[]> {
  return (await collectPages(client, pool.nodes, {}, 'nodes')).items;
}

/** The newest versions, up to a limit. */
export async function versions(
  client: Client,
  most: number,
): Promise<{ versions: AccessListSummary[]; hasMore: boolean }> {
  const { items, hasMore } = await collectPages(client, pool.aclHistory, {}, 'versions', { most });
  return { versions: items, hasMore };
}
