import { toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { memberIdOf, nodeIdOf } from '../../../src/crypto/public-key.ts';
import { wireOf } from '../../../src/crypto/formats/access-list/chain.ts';
import { receiveBranch } from '../../../src/services/pool/acl/receive.ts';
import { listAfter, listOf, type PoolHouse } from './pool-scene.ts';

/** A version that admits nodes that nobody runs. @returns their ids */
export async function addStrangers(host: PoolHouse, count: number, expiresAt: string): Promise<string[]> {
  const list = await listOf(host);
  const added = Array.from({ length: count }, () => {
    const { publicKey } = generateKeyPair();
    const addedBy = memberIdOf(host.identity.publicKey);
    const addedAt = list.document.issuedAt;
    return { nodeId: nodeIdOf(publicKey), publicKey: toHex(publicKey), addedAt, addedBy, expiresAt };
  });
  const next = listAfter(list, { writers: [...list.document.writers, ...added] }, host.identity);
  await receiveBranch(host.house.ctx, list, [wireOf(next)], host.nodeId);
  return added.map(({ nodeId }) => nodeId);
}
