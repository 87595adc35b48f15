// Nodes on loopback in one process: how soon one catches up with the access list of another; how many messages a second are acknowledged; and how
// fast a stream of bytes between two nodes is, next to a TCP socket with TLS between two ends of the same process.
// npx tsx scripts/bench/gossip.ts [--versions 1000] [--messages 3000] [--megabytes 256] [--rounds 5] [--small]
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { transaction, type Context } from '../../src/service/context.ts';
import { createLedgerPort } from '../../src/platform/ledger/port.ts';
import { signList } from '../../src/crypto/formats/access-list/chain.ts';
import { adopt } from '../../src/services/pool/acl/adopt.ts';
import { newPool } from '../../src/services/pool/acl/commit.ts';
import { answerLists, syncWith } from '../../src/services/pool/acl/sync.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import type { AclDocument } from '../../src/crypto/formats/access-list/document.ts';
import { protocols } from '../../src/services/pool/announcing.ts';
import { defaultLimits } from '../../src/platform/network/limits.ts';
import { openBlocks } from '../../src/platform/store/blocks/blocks.ts';
import type { Database } from '../../src/platform/store/database.ts';
import { openDatabase } from '../../src/platform/store/open.ts';
import { gossipNodes, until, untilConnected, type GossipNode } from '../../test/support/gossip-nodes.ts';

import { inTurns, median, type Measured, ownFolder, report, settings, timed } from './harness.ts';

const { versions, messages, megabytes, rounds } = settings(
  { versions: 1_000, messages: 3_000, megabytes: 256, rounds: 5 },
  { versions: 20, messages: 50, megabytes: 16, rounds: 1 },
);
const MEBIBYTE = 1024 ** 2;
const size = megabytes * MEBIBYTE;

await using folder = await ownFolder();
const caughtUp = (await catchUp()) / 1000;
const rate = await outboxRate();
report('Two nodes', [
  { what: `catching up with ${versions} versions of the access list`, value: caughtUp, unit: 's', atMost: 5 },
  { what: 'acknowledged messages of the outbox', value: rate, unit: '/s', atLeast: 1_000 },
]);
report('Streams', await streams());

/** Written as durably as a server writes. */
async function openStore(): Promise<Database> {
  const dataDir = await mkdtemp(join(folder.path, 'node-'));
  return await openDatabase({ dataDir, create: true, command: 'a benchmark' });
}

/** Milliseconds in which a node fetches, verifies and stores many versions of the access list of another node. */
async function catchUp(): Promise<number> {
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
  return await timed(async () => {
    const stands = await syncWith(behind, { nodeId }, nodeId);
    if (stands !== 'same') throw new Error(`the node that was behind is ${stands}`);
  });
}

/** Messages a second that one node sends, another one handles, and the first one has the signed acknowledgment of. */
async function outboxRate(): Promise<number> {
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

/** On both ways all bytes are made and read in this process, and nothing is kept. */
async function streams(): Promise<Measured[]> {
  const piece = randomBytes(4 * (65_535 - 16) - 12);

  const unlimited = { ...defaultLimits.streams, speed: { burst: 2 ** 40, perSecond: 2 ** 40 } };
  const source = {
    size,
    hash: 'bench',
    async *open() {
      for (let at = 0; at < size; at += piece.length) yield piece.subarray(0, size - at);
    },
  };
  await using pool = await gossipNodes(2, {
    openStore,
    limits: { streams: unlimited, reconcileMs: 600_000 },
    onStart: (port) => port.serveBytes('bench', { answer: () => Promise.resolve(source) }),
  });
  await untilConnected(pool.nodes);
  const [asking, asked] = pool.nodes as [GossipNode, GossipNode];

  async function overStream(): Promise<number> {
    await using bytes = await asking.port.fetchBytes(asked.nodeId, 'bench', 1, { maxBytes: size });
    let got = 0;
    for await (const each of bytes) got += each.length;
    return got;
  }

  const made = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost`;
  const files = ['-keyout', join(folder.path, 'key.pem'), '-out', join(folder.path, 'cert.pem')];
  execFileSync('openssl', [...made.split(' '), ...files], { stdio: 'ignore' });
  const [key, cert] = await Promise.all(
    ['key.pem', 'cert.pem'].map(async (name) => await readFile(join(folder.path, name))),
  );

  async function feed(socket: TLSSocket): Promise<void> {
    for (let at = 0; at < size; at += piece.length)
      if (!socket.write(piece.subarray(0, size - at))) await once(socket, 'drain');
    socket.end();
  }

  async function overTls(ciphers: string): Promise<number> {
    const options = { key, cert, noDelay: true, ...(ciphers === '' ? {} : { ciphers }) };
    await using server = createServer(options, (socket) => void feed(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', ca: cert, servername: 'localhost', ...options });
    let got = 0;
    for await (const each of socket) got += (each as Buffer).length;
    return got;
  }

  /** What a block takes in addition: its hash, and that it is written. */
  const blocks = openBlocks(join(folder.path, 'to'));
  const total = Math.min(size, 64 * MEBIBYTE);
  const hash = createHash('sha3-512');
  for (let at = 0; at < total; at += piece.length) hash.update(piece.subarray(0, total - at));
  const blockId = hash.digest('hex');

  async function asBlocks(): Promise<number> {
    await using incoming = await blocks.receive(blockId);
    await using bytes = await asking.port.fetchBytes(asked.nodeId, 'bench', 1, { maxBytes: size });
    for await (const each of bytes) {
      const rest = total - incoming.size;
      if (rest === 0) break;
      await incoming.append(each.subarray(0, rest));
    }
    if (!(await incoming.finish())) throw new Error('the block differs');
    return total;
  }

  const speedOf = async (way: () => Promise<number>): Promise<number> => {
    const began = performance.now();
    const got = await way();
    return got / MEBIBYTE / ((performance.now() - began) / 1000);
  };
  const speeds = await inTurns(rounds, {
    tls: async () => await speedOf(async () => await overTls('')),
    chacha: async () => await speedOf(async () => await overTls('TLS_CHACHA20_POLY1305_SHA256')),
    stream: async () => await speedOf(overStream),
    blocks: async () => await speedOf(asBlocks),
  });
  const tls = median(speeds.tls);
  const row = (what: string, which: keyof typeof speeds): Measured => {
    const value = median(speeds[which]);
    const nextTo = `TCP with TLS (AES-256-GCM), ${tls.toFixed(0)} MiB/s`;
    return { what, value, unit: 'MiB/s', nextTo, ratio: value / tls };
  };
  return [
    { ...row('a stream between nodes', 'stream'), ratioAtLeast: 0.5 },
    row('the same, hashed and written', 'blocks'),
    row('TCP with TLS (ChaCha20)', 'chacha'),
  ];
}
