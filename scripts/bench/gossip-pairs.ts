import { transaction, type Context } from '../../src/context.ts';
import { createLedgerPort } from '../../src/ledger/port.ts';
import { signList } from '../../src/services/pool/acl/chain.ts';
import { adopt } from '../../src/services/pool/acl/adopt.ts';
import { newPool } from '../../src/services/pool/acl/commit.ts';
import { answerLists, syncWith } from '../../src/services/pool/acl/sync.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import type { AclDocument } from '../../src/services/pool/acl/document.ts';
import { protocols } from '../../src/services/pool/announcing.ts';
import type { Database } from '../../src/store/database.ts';
import { gossipNodes, until, untilConnected, type GossipNode } from '../../test/support/gossip-nodes.ts';

type OpenStore = () => Promise<Database>;

/** Milliseconds in which a node fetches, verifies and stores this many versions of the access list of another node. */
export async function catchUp(versions: number, openStore: OpenStore): Promise<number> {
  const contexts: Context[] = [];
  await using pool = await gossipNodes(2, {
    openStore,
    onStart: (port) =>
      port.respond(protocols.lists, {
        strangers: true,
        answer: async (asked, peer) => await answerLists(contexts[0] as Context, asked, peer),
      }),
  });
  await untilConnected(pool.nodes);
  for (const { parts, port, log } of pool.nodes) contexts.push(contextOf(parts, port, log));
  const [ahead, behind] = contexts as [Context, Context];
  const { identity, nodeId } = ahead.keys;
  const first = await newPool(ahead);
  const lists = [first];
  const [founder] = first.document.writers;
  if (founder === undefined) throw new Error('the first list of a pool names its founder');
  for (let last = first; lists.length <= versions; lists.push(last)) {
    const mode = last.document.mode === 'approval' ? 'closed' : 'approval';
    const { version } = last.document;
    const guest = { ...founder, nodeId: behind.keys.nodeId, publicKey: publicKeyOf(behind) };
    const document: AclDocument = {
      ...last.document,
      mode,
      writers: [founder, guest],
      version: version + 1,
      prev: last.hash,
    };
    last = signList(document, memberIdOf(identity.publicKey), identity.privateKey);
  }
  const [genesis, ...rest] = lists as [typeof first, ...(typeof first)[]];
  for (const ctx of contexts)
    await transaction(ctx, async (tx) => await adopt(tx, { from: undefined, lists: [genesis], source: nodeId }));
  const from = { poolId: genesis.document.poolId, hash: genesis.hash };
  const [second, ...others] = rest as [typeof first, ...(typeof first)[]];
  await transaction(ahead, async (tx) => await adopt(tx, { from, lists: [second, ...others], source: nodeId }));
  const start = performance.now();
  const stands = await syncWith(behind, { nodeId }, nodeId);
  const took = performance.now() - start;
  if (stands !== 'same') throw new Error(`the node that was behind is ${stands}`);
  return took;
}

/** Messages a second that one node sends, another one handles, and the first one has the signed acknowledgment of. */
export async function outboxRate(messages: number, openStore: OpenStore): Promise<number> {
  let settled = 0;
  await using pool = await gossipNodes(2, {
    openStore,
    onStart(port) {
      port.receive('bench', async () => undefined);
      port.onOutcome('bench', async () => void (settled += 1));
    },
  });
  await untilConnected(pool.nodes);
  const [one, two] = pool.nodes as [GossipNode, GossipNode];
  const expiresAt = Date.now() + 3_600_000;
  const start = performance.now();
  const each = Array.from({ length: messages }, async (_, n) => {
    const message = { id: `m${n}`, body: 'x'.repeat(1_000), expiresAt };
    await transaction(one.parts, async (tx) => await one.port.send(tx, two.nodeId, 'bench', message));
  });
  await Promise.all(each);
  await until('all are acknowledged', () => settled >= messages);
  return (messages / (performance.now() - start)) * 1_000;
}

function publicKeyOf({ keys }: Context): string {
  return Buffer.from(keys.identity.publicKey).toString('hex');
}

/** What the pool takes of a context. */
function contextOf(parts: GossipNode['parts'], gossip: GossipNode['port'], log: GossipNode['log']): Context {
  return { ...parts, gossip, ledger: createLedgerPort(log), ledgerTypes: new Set(['POOL_ACL']) } as unknown as Context;
}
