import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { pool } from '../../contract/pool.ts';
import type { AccessListSummary, PoolNode } from '../../contract/pool/shapes.ts';

const limit = 100;

export async function allNodes(client: Client): Promise<PoolNode[]> {
  const found: PoolNode[] = [];
  for (let cursor: string | undefined; ;) {
    const reply = await perform(client, pool.nodes, { limit, ...(cursor !== undefined && { cursor }) });
    found.push(...reply.nodes);
    cursor = reply.cursor;
    if (!reply.hasMore || cursor === undefined) return found;
  }
}

/** The newest first, at most so many. */
export async function versions(
  client: Client,
  most: number,
): Promise<{ versions: AccessListSummary[]; hasMore: boolean }> {
  const found: AccessListSummary[] = [];
  for (let cursor: string | undefined; ;) {
    const reply = await perform(client, pool.aclHistory, {
      limit: Math.min(limit, most - found.length),
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...reply.versions);
    cursor = reply.cursor;
    if (!reply.hasMore || cursor === undefined) return { versions: found, hasMore: false };
    if (found.length >= most) return { versions: found, hasMore: true };
  }
}
