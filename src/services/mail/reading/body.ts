import type { Context } from '../../../service/context.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { parseOffThread } from '../message/parse-off-thread.ts';
import type { ParsedMessage } from '../message/parse.ts';
import { skeletonOf } from '../message/skeleton.ts';
import { sliceOctets, type Composition } from '../storage/contents.ts';
import { readPart } from '../../../shared/attachments/sealed-parts.ts';

/** Bytes of a message, without its segments, that are parsed. */
const PARSED_BYTES = 8 * 1024 ** 2;

/** A message without its segments, to be parsed, and what its placeholders are known by. */
export interface Skeleton {
  readonly skeleton: Uint8Array;
  readonly nonce: string;
  readonly segments: Composition['segments'];
}

/** Where the octets of a message are. */
export type Octets = Pick<Composition, 'pieces' | 'segments' | 'parts'>;

/** @throws Problem internal BLOCK_DAMAGED, missing BLOCK_NOT_FOUND */
export async function skeletonOfContent(
  ctx: Pick<Context, 'blocks' | 'random'>,
  { pieces: layout, segments, parts }: Octets,
): Promise<Skeleton> {
  const [first] = parts;
  const octets: Uint8Array[] = [];
  if (first !== undefined) {
    const range = { start: 0, end: Math.min(first.size, PARSED_BYTES) };
    for await (const piece of readPart(ctx, first, range)) octets.push(piece);
  }
  const nonce = toHex(ctx.random(16));
  const pieces = sliceOctets(Buffer.concat(octets), layout).map((piece) =>
    typeof piece === 'number' ? { segment: piece } : { octets: piece },
  );
  return { skeleton: skeletonOf(pieces, nonce), nonce, segments };
}

/** What the octets of a message say. @throws Problem unavailable OVERLOADED, and as `skeletonOfContent` does */
export async function parsedContent(
  ctx: Pick<Context, 'blocks' | 'random' | 'offload'>,
  content: Octets,
): Promise<ParsedMessage> {
  const { skeleton, nonce, segments } = await skeletonOfContent(ctx, content);
  return await parseOffThread(ctx.offload, { skeleton, nonce, segments });
}
