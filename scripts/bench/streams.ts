import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { parseArgs } from 'node:util';
import { defaultLimits } from '../../src/gossip/limits.ts';
import { openBlocks } from '../../src/store/blocks/blocks.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { gossipNodes, untilConnected, type GossipNode } from '../../test/support/gossip-nodes.ts';
import { median, printTable } from './table.ts';

/**
 * A stream of bytes between two nodes of one process, against a TCP socket with TLS between two ends of the same process: on both ways all
 * bytes are made and read in this process, and nothing is kept. The sizes take turns, so that what else the machine does falls on both.
 */
const { values } = parseArgs({
  options: { megabytes: { type: 'string', default: '256' }, rounds: { type: 'string', default: '5' } },
});
const MEBIBYTE = 1024 ** 2;
const size = Number(values.megabytes) * MEBIBYTE;
const rounds = Number(values.rounds);
const bound = 0.5;

const folder = await mkdtemp(join(tmpdir(), 'conclave-bench-'));
await using _ = { [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }) };
const piece = randomBytes(4 * (65_535 - 16) - 12);

const unlimited = { ...defaultLimits.streams, speed: { burst: 2 ** 40, perSecond: 2 ** 40 } };
const source = {
  size,
  hash: 'bench',
  async *open() {
    for (let at = 0; at < size; at += piece.length) yield piece.subarray(0, size - at);
  },
};
const openStore = async (): Promise<Database> =>
  await openDatabase({ dataDir: await mkdtemp(join(folder, 'node-')), create: true, command: 'a benchmark' });
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
const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
execFileSync('openssl', [...made.split(' '), ...files], { stdio: 'ignore' });
const [key, cert] = await Promise.all(['key.pem', 'cert.pem'].map(async (name) => await readFile(join(folder, name))));

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
const blocks = openBlocks(join(folder, 'to'));
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

const ways: readonly [string, () => Promise<number>][] = [
  ['TCP with TLS (AES-256-GCM)', async () => await overTls('')],
  ['TCP with TLS (ChaCha20)', async () => await overTls('TLS_CHACHA20_POLY1305_SHA256')],
  ['stream between nodes', overStream],
  ['the same, hashed and written', asBlocks],
];
const speeds = new Map<string, number[]>();
for (let round = 0; round <= rounds; round += 1) {
  for (const [what, run] of ways) {
    const start = performance.now();
    const got = await run();
    const perSecond = got / MEBIBYTE / ((performance.now() - start) / 1000);
    // The first round is for the compiler.
    if (round > 0) speeds.set(what, [...(speeds.get(what) ?? []), perSecond]);
  }
}
const speedOf = (what: string): number => median(speeds.get(what) ?? []);
const [tls = ''] = ways.map(([what]) => what);
printTable(
  ['way', 'MiB a second', `of ${tls}`],
  ways.map(([what]) => [what, speedOf(what).toFixed(0), (speedOf(what) / speedOf(tls)).toFixed(2)]),
);
const ratio = speedOf('stream between nodes') / speedOf(tls);
process.stdout.write(`a stream has ${ratio.toFixed(2)} of the speed of TLS (bound: ${bound})\n`);
if (ratio < bound) process.exitCode = 1;
