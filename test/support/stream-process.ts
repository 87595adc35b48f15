import { createHash, createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { loadConfig } from '../../src/config/load.ts';
import { deriveNodeKeys } from '../../src/config/node-keys.ts';
import { silentLog } from '../../src/base/log.ts';
import { defaultLimits } from '../../src/platform/network/limits.ts';
import { startNetwork } from '../../src/platform/network/network.ts';
import { createSwitchboard } from '../../src/platform/network/switchboard.ts';
import { openDatabase } from '../../src/platform/store/open.ts';

// A node in a process of its own, whose memory is its alone.
//
//   node stream-process.mjs serve <data directory>
//   node stream-process.mjs fetch <data directory> <address> <blocks> <bytes of each>
//
// It takes anybody for admitted. Blocks are made when they are asked for, and are gone when they were compared with their hashes. The last
// line is JSON, with the bytes that the process took in addition to what it took after the first two blocks.

const [work, dataDir = '', address = '', blocks = '0', bytes = '0'] = process.argv.slice(2);
const PIECE = 256 * 1024;

function* contentOf(block: number, size: number): Generator<Uint8Array> {
  for (let at = 0; at < size; at += PIECE) {
    const piece = Buffer.alloc(Math.min(PIECE, size - at));
    createHmac('sha256', `${block}/${at}`).update('piece').digest().copy(piece);
    yield piece;
  }
}

function hashOf(block: number, size: number): string {
  const hash = createHash('sha256');
  for (const piece of contentOf(block, size)) hash.update(piece);
  return hash.digest('hex');
}

let first = Number.NaN;
let most = 0;

function begin(): void {
  first = process.memoryUsage.rss();
  most = first;
  setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10).unref();
}

function say(more: object = {}): void {
  process.stdout.write(`${JSON.stringify({ ...more, grown: { rss: most - first } })}\n`);
}

const { config } = await loadConfig({ flags: {}, env: {}, home: '/nowhere', cwd: '/nowhere' });
const listen = work === 'serve' ? ['/ip4/127.0.0.1/tcp/0'] : [];
const network = { enabled: true, listen, peers: address === '' ? [] : [address], announce: [] };
await using store = await openDatabase({ dataDir, create: true, command: 'stream-process' });
const parts = {
  store,
  db: store.db,
  clock: { now: Date.now },
  random: (size: number) => new Uint8Array(randomBytes(size)),
  log: silentLog,
  keys: deriveNodeKeys(randomBytes(32)),
  config: { ...config, network },
  afterCommit: (action: () => void | Promise<void>) => void action(),
};
const switchboard = createSwitchboard();
const { port } = switchboard;
port.serveBytes('set', {
  async answer(question) {
    const { block, size } = question as { block: number; size: number };
    if (block === 2) begin();
    const content = contentOf(block, size);
    return { size, hash: hashOf(block, size), open: () => asyncOf(content) };
  },
});

async function* asyncOf(content: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* content;
}

const admission = { isAdmitted: () => Promise.resolve(true), members: () => Promise.resolve([]) };
await using running = await startNetwork(parts, {
  switchboard,
  admission,
  limits: { ...defaultLimits, answerMs: 60_000 },
});
if (work === 'serve') {
  process.stdout.write(`${running.addresses[0]}\n`);
  // The other process has ended when it closes this.
  process.stdin.resume();
  await once(process.stdin, 'end');
  say();
} else {
  let nodeId: string | undefined;
  while (nodeId === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    nodeId = port.peers().find(({ admitted }) => admitted)?.nodeId;
  }
  const size = Number(bytes);
  let total = 0;
  for (let block = 0; block < Number(blocks); block += 1) {
    if (block === 2) begin();
    await using incoming = await port.fetchBytes(nodeId, 'set', { block, size }, { maxBytes: size });
    const hash = createHash('sha256');
    for await (const piece of incoming) {
      hash.update(piece);
      total += piece.length;
    }
    if (hash.digest('hex') !== incoming.hash) throw new Error('a block differs');
  }
  say({ total });
}
