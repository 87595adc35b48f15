import { randomBytes } from 'node:crypto';
import type { Config } from '../../../src/config/config.ts';
import type { Context } from '../../../src/service/context.ts';
import { deriveNodeKeys } from '../../../src/config/node-keys.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair, type KeyPair } from '../../../src/crypto/key-pair.ts';
import { memberIdOf, nodeIdOf } from '../../../src/crypto/public-key.ts';
import { readList, signList, type SignedList } from '../../../src/crypto/formats/access-list/chain.ts';
import type { AclDocument } from '../../../src/crypto/formats/access-list/document.ts';
import type { AdmissionPolicy, GossipPort } from '../../../src/service/ports/network.ts';
import { signRequest, type JoinRequest, type SignedRequest } from '../../../src/services/pool/joining/join-request.ts';
import { joinNetwork } from '../../../src/services/pool/network.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { pool } from '../../../src/contract/pool.ts';
import { memoryNetwork, type MemoryNetwork } from '../../support/memory-network.ts';
import type { MemoryNode } from '../../support/memory-node.ts';
import { openHouse, type House } from '../../support/house.ts';
import { secretsOf } from '../../support/prepared-member.ts';
import { slowly } from '../../support/real-time.ts';

/** A node of a pool in the test's process: a house, its administrator, and its place in the network. */
export interface PoolHouse {
  readonly name: string;
  readonly house: House;
  readonly node: MemoryNode;
  readonly identity: KeyPair;
  readonly nodeId: string;
  readonly admission: AdmissionPolicy;
  readonly boss: Awaited<ReturnType<House['administrator']>>;
  /** off the network and on again, as a restart does it */
  restart(): Promise<void>;
}

export interface PoolScene extends AsyncDisposable {
  readonly network: MemoryNetwork;
  open(
    name: string,
    options?: {
      readonly started?: boolean;
      readonly config?: Partial<Config>;
      readonly joins?: (ctx: Context) => void;
    },
  ): Promise<PoolHouse>;
  /** everything under way was dealt with, also what nobody waits for */
  settled(): Promise<void>;
  /** `guest` asks, `host`'s administrator approves; both have the list then */
  admit(host: PoolHouse, guest: PoolHouse, mailDomain?: string): Promise<void>;
  advance(milliseconds: number): void;
  /** what the nodes have sent each other so far: requests and their answers, announcements, and what they share in rounds */
  traffic(): { readonly requests: number; readonly bytes: number };
}

export function openScene(engine: EngineName): PoolScene {
  const houses: PoolHouse[] = [];
  const network = memoryNetwork(() => houses[0]?.house.clock.now() ?? 0);
  const asking = new Set<Promise<unknown>>();
  let [requests, bytes] = [0, 0];
  const sent = <T>(content: T): T => {
    bytes += JSON.stringify(content)?.length ?? 0;
    return content;
  };
  /** Requests are answered by other nodes, whether or not somebody waits for the answer. */
  const watched = (port: GossipPort): GossipPort => ({
    ...port,
    async request(...question) {
      const answer = port.request(...question);
      requests += 1;
      sent(question[2]);
      asking.add(answer);
      try {
        return sent(await answer);
      } finally {
        asking.delete(answer);
      }
    },
    announce: async (type, payload) => await port.announce(type, sent(payload)),
    share: (part, shared) => port.share(part, { ...shared, tell: async (peer) => sent(await shared.tell(peer)) }),
  });

  const settled = async () => {
    // What nobody waits for begins a turn or two later, and may go over several nodes.
    for (let quiet = 0; quiet < 3; quiet += 1) {
      await network.settled();
      if (asking.size > 0) quiet = 0;
      await Promise.race([Promise.allSettled(asking), slowly(100)]);
      await slowly(5);
    }
  };

  return {
    network,
    settled,
    traffic: () => ({ requests, bytes }),
    async open(name, { started = true, config = {}, joins } = {}) {
      const secret = randomBytes(32);
      const { identity, nodeId } = deriveNodeKeys(secret);
      const clock = (): number => house.clock.now();
      const node = network.node(name, identity, clock);
      const house: House = await openHouse(engine, { secret, config, context: { gossip: watched(node.port) } });
      const policy = joinNetwork(house.ctx);
      joins?.(house.ctx);
      if (started) await node.start(policy, house.ctx);
      // The houses of one test would give their first members the same keys, and these are to be different people.
      const boss = await house.administrator(`${name}-boss`, secretsOf(100 + houses.length));
      const made: PoolHouse = {
        name,
        house,
        node,
        identity,
        nodeId,
        admission: policy,
        boss,
        async restart() {
          node.stop();
          await node.start(policy, house.ctx);
        },
      };
      houses.push(made);
      return made;
    },
    async admit(host, guest, mailDomain) {
      const named = mailDomain === undefined ? {} : { mailDomain };
      await guest.house.perform(pool.join, { address: host.node.address, ...named }, guest.boss.token);
      await host.house.perform(pool.approveNode, { nodeId: guest.nodeId }, host.boss.token);
      await settled();
    },
    advance(milliseconds) {
      for (const { house } of houses) house.clock.advance(milliseconds);
    },
    async [Symbol.asyncDispose]() {
      for (const { node } of houses) node.stop();
      await settled();
      for (const { house } of houses) await house[Symbol.asyncDispose]();
    },
  };
}

/** A request to join as a node signs it. */
export function requestBy(
  identity: KeyPair,
  poolId: string,
  timeMs: number,
  more: Partial<JoinRequest> = {},
): SignedRequest {
  return signRequest(
    {
      poolId,
      nodeId: nodeIdOf(identity.publicKey),
      publicKey: toHex(identity.publicKey),
      message: 'let me in',
      addresses: ['/dns4/new.example/tcp/7879'],
      nonce: toHex(randomBytes(16)),
      timestamp: new Date(timeMs).toISOString(),
      ...more,
    },
    identity,
  );
}

const everybody = { isAdmitted: () => Promise.resolve(true), members: () => Promise.resolve([]) };

/** Somebody with a key and a network, and no manners. */
export async function stranger(
  scene: PoolScene,
  name = 'evil',
): Promise<{ identity: KeyPair; node: MemoryNode; nodeId: string }> {
  const identity = generateKeyPair();
  const node = scene.network.node(name, identity);
  await node.start(everybody);
  return { identity, node, nodeId: node.nodeId };
}

/** The next version of a list, as somebody signs it. */
export const listAfter = (list: SignedList, change: Partial<AclDocument>, signer: KeyPair): SignedList =>
  signList(
    { ...list.document, version: list.document.version + 1, prev: list.hash, ...change },
    memberIdOf(signer.publicKey),
    signer.privateKey,
  );

export const status = async ({ house, boss }: PoolHouse) => (await house.perform(pool.status, {}, boss.token)).body;
export const publicKeyOf = async ({ house, boss }: PoolHouse): Promise<string> =>
  (
    await house.ctx.db
      .selectFrom('members')
      .select('public_key')
      .where('id', '=', boss.memberId)
      .executeTakeFirstOrThrow()
  ).public_key;
export const waiting = async ({ house, boss }: PoolHouse) =>
  (await house.perform(pool.pendingNodes, {}, boss.token)).body.count;
export const listOf = async ({ house, boss }: PoolHouse): Promise<SignedList> => {
  const { document, signatures } = (await house.perform(pool.acl, {}, boss.token)).body;
  return readList({ document, signatures });
};
export const refusals = ({ house }: PoolHouse) =>
  house.log.lines.filter(({ level, message }) => level === 'warn' && String(message).includes('refused'));

/** The same, admitted. */
export async function insider(scene: PoolScene, host: PoolHouse) {
  const evil = await stranger(scene);
  const { poolId } = (await status(host)).pool;
  const request = requestBy(evil.identity, poolId, host.house.clock.now());
  await evil.node.port.request({ address: host.node.address }, 'pool-join', { ask: 'admission', ...request });
  await host.house.perform(pool.approveNode, { nodeId: evil.nodeId }, host.boss.token);
  await scene.settled();
  return evil;
}
