import type { Context } from '../../../src/service/context.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { nodeIdOf } from '../../../src/crypto/public-key.ts';
import { ensureList } from '../../../src/services/pool/acl/commit.ts';
import { takeRequest } from '../../../src/services/pool/joining/queue.ts';
import { requestBy } from './pool-scene.ts';

type Fetch = (request: Request) => Promise<Response>;

/** Two nodes ask to join, as the network would bring their requests; an administrator lists them, admits one and denies the other. */
export async function runPoolScenario(ctx: Context, fetch: Fetch, base: string, authorization: string): Promise<void> {
  const list = await ensureList(ctx);
  const ids: string[] = [];
  for (const identity of [generateKeyPair(), generateKeyPair()]) {
    const nodeId = nodeIdOf(identity.publicKey);
    await takeRequest(ctx, list, requestBy(identity, list.document.poolId, ctx.clock.now()), nodeId);
    ids.push(nodeId);
  }
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const request = new Request(`${base}/api/admin/pool/${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const response = await fetch(request);
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const { count } = await call('GET', 'pending-nodes');
  if (count !== 2) throw new Error(`${String(count)} nodes are pending instead of 2`);
  await call('POST', 'approve-node', { nodeId: ids[0] });
  await call('POST', 'deny-node', { nodeId: ids[1], reason: 'one is enough' });
}
