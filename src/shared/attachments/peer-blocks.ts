import { transaction, type Context } from '../../service/context.ts';
import type { ByteSource, Peer, StreamPriority } from '../../service/ports/network.ts';
import { Problem } from '../../base/problem.ts';
import type { IncomingBlock } from '../../platform/store/blocks/incoming.ts';
import { isReferred } from '../../platform/store/blocks/references.ts';
import { announceBlock, announceBlockAgain, keepBlocks, shareBlocks } from './blocks.ts';

/** The protocol in which nodes fetch blocks from each other. */
const BLOCKS = 'blocks';
/** as much as leaves at once */
const PIECE_BYTES = 4 * (65_535 - 16) - 12;

/** Whether a node may fetch a block. A service answers for the blocks of its own rows, and for no others. */
export type PeerBlockRule = (blockId: string, peer: Peer) => Promise<boolean>;

/** Lets admitted nodes fetch what one of the rules allows; without rules that is nothing. Call it before the network starts. */
export function serveBlocks(ctx: Context, rules: readonly PeerBlockRule[]): void {
  const source: ByteSource = {
    async answer(question, peer) {
      const { blockId } = (question ?? {}) as { blockId?: unknown };
      const may = typeof blockId === 'string' && (await isAllowed(rules, blockId, peer));
      const found = may ? await ctx.blocks.head(blockId) : undefined;
      // Whoever may not have a block doesn't learn whether it exists.
      if (found === undefined) throw new Problem('missing', 'BLOCK_NOT_FOUND', 'There is no block with this id');
      const { id, size } = found;
      return { size, hash: id, open: (offset, signal) => piecesOf(ctx, { id, size }, offset, signal) };
    },
  };
  ctx.gossip.serveBytes(BLOCKS, source);
}

async function isAllowed(rules: readonly PeerBlockRule[], blockId: string, peer: Peer): Promise<boolean> {
  for (const rule of rules) if (await rule(blockId, peer)) return true;
  return false;
}

/** The asker compares the whole with its hash, so it isn't done here. */
async function* piecesOf(
  { blocks }: Context,
  { id, size }: { readonly id: string; readonly size: number },
  offset: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let start = offset; start < size && !signal.aborted; start += PIECE_BYTES)
    yield await blocks.get(id, { start, end: Math.min(size, start + PIECE_BYTES) });
}

export interface BlockToFetch {
  /** an admitted node that has the block */
  readonly nodeId: string;
  readonly blockId: string;
  readonly maxBytes: number;
  /** default: bulk */
  readonly priority?: StreamPriority;
  readonly signal?: AbortSignal;
}

export interface FetchedBlock {
  readonly id: string;
  readonly size: number;
  /** whether rows referred to it when it was fetched */
  readonly referred: boolean;
}

/**
 * Fetches a block from another node, unless it is here. What has arrived when the connection is lost, or when the program ends, stays for
 * a day, and the next call goes on from there. A row must refer to the block within the hour: see `keepFetched`.
 * @throws Problem as `fetchBytes` of the port does. STREAM_DIFFERS names the node whose content does not have the hash.
 */
export async function fetchBlock(ctx: Context, wanted: BlockToFetch): Promise<FetchedBlock> {
  const { blockId, nodeId } = wanted;
  for (;;) {
    await using incoming = await ctx.blocks.receive(blockId);
    const present = await findPresent(ctx, blockId);
    if (present !== undefined) return present;
    const resumed = incoming.size > 0;
    if (await fetchInto(incoming, ctx, wanted)) return { id: blockId, size: incoming.size, referred: false };
    // If a part came earlier, it may be that part: from another node, or written while the power failed. Then all is fetched once more.
    if (resumed) continue;
    ctx.log.warn('a node sent content that does not have the hash of its block', { nodeId });
    const words = `The node ${nodeId} sent content that does not have the hash of the block.`;
    throw new Problem('invalid', 'STREAM_DIFFERS', words);
  }
}

/** Blocks in the order of their ids in the list, one after the other: all together take no more memory than one. */
export async function* fetchBlocks(
  ctx: Context,
  blockIds: readonly string[],
  wanted: Omit<BlockToFetch, 'blockId'>,
): AsyncGenerator<FetchedBlock> {
  for (const blockId of blockIds) yield await fetchBlock(ctx, { ...wanted, blockId });
}

/**
 * Keeps a fetched block. It must run in the transaction that adds the row that refers to it.
 * @throws Problem unavailable OVERLOADED, missing BLOCK_NOT_FOUND when the block was dropped in between: fetch it again
 */
export async function keepFetched(tx: Context, { id, referred }: FetchedBlock): Promise<void> {
  if (referred) await shareBlocks(tx, [id]);
  else await keepBlocks(tx, [id]);
}

async function findPresent(ctx: Context, blockId: string): Promise<FetchedBlock | undefined> {
  if ((await ctx.blocks.head(blockId)) === undefined) return undefined;
  const referred = await transaction(ctx, async (tx) => {
    const isKept = await isReferred(tx.db, blockId);
    // It was fetched or dropped, nobody has kept it since, and it would be deleted soon.
    if (!isKept) await announceBlockAgain(tx, blockId);
    return isKept;
  });
  const found = await ctx.blocks.head(blockId);
  return found && { id: blockId, size: found.size, referred };
}

/** @returns false: the whole does not have the hash */
async function fetchInto(incoming: IncomingBlock, ctx: Context, wanted: BlockToFetch): Promise<boolean> {
  const { nodeId, blockId, maxBytes, priority = 'bulk', signal } = wanted;
  const cancel = signal && { signal };
  const options = { offset: incoming.size, priority, maxBytes, hash: blockId, ...cancel };
  try {
    await using bytes = await ctx.gossip.fetchBytes(nodeId, BLOCKS, { blockId }, options);
    for await (const piece of bytes) await incoming.append(piece);
  } catch (error) {
    if (!isOfNoUse(error)) throw error;
    const resumed = options.offset > 0;
    await incoming.restart();
    // The earlier part is longer than the block.
    if (resumed && causeOf(error) === 'STREAM_OFFSET') return await fetchInto(incoming, ctx, wanted);
    throw error;
  }
  return await incoming.finish(async () => await announceBlock(ctx, blockId));
}

/** Whether what has arrived can't be the beginning of the block. */
function isOfNoUse(error: unknown): boolean {
  return (error instanceof Problem && error.code === 'STREAM_DIFFERS') || causeOf(error) === 'STREAM_OFFSET';
}

function causeOf(error: unknown): string | undefined {
  return error instanceof Problem && error.cause instanceof Problem ? error.cause.code : undefined;
}
