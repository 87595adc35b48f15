import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { withdrawBlocks } from '../../../shared/attachments/blocks.ts';
import type { Context } from '../../../service/context.ts';
import { messageSize, type Piece } from '../message/segments.ts';
import { splitMessage } from '../message/split.ts';
import type { Composition } from './contents.ts';
import type { LayoutPiece } from './layout.ts';
import { filesOf, makePart, type Part } from '../../../shared/attachments/sealed-parts.ts';

/** A message that came as octets, encrypted: where they are, and not what they say. */
export type TakenIn = Omit<Composition, 'structure'>;

/**
 * Encrypts a message of any size while it arrives, in bounded memory. Large attachments become parts of their own. The files have to be
 * kept by a transaction, or withdrawn; if reading fails, they are gone already.
 */
export async function takeIn(ctx: Context, octets: AsyncIterable<Uint8Array>): Promise<TakenIn> {
  const pieces: LayoutPiece[] = [];
  const widths: number[] = [];
  const first = startPart(ctx);
  const segments: Growing[] = [];
  try {
    for await (const event of splitMessage(octets)) {
      if (event.kind === 'octets') {
        const last = pieces.at(-1);
        if (last !== undefined && 'octets' in last)
          pieces[pieces.length - 1] = { octets: last.octets + event.octets.length };
        else pieces.push({ octets: event.octets.length });
        await first.add(event.octets);
        continue;
      }
      if (event.first) {
        pieces.push({ segment: segments.length });
        segments.push(startPart(ctx));
        widths.push(event.width);
      }
      await segments.at(-1)?.add(event.bytes);
      if (event.last) await segments.at(-1)?.end();
    }
    const parts = [await first.end(), ...(await Promise.all(segments.map(async (one) => await one.end())))];
    const shape = widths.map((width, index) => ({ width, size: parts[index + 1]?.size ?? 0 }));
    return { pieces, segments: shape, parts, size: sizeOf(pieces, shape) };
  } catch (error) {
    const made = await Promise.all([first, ...segments].map(async (one) => await one.giveUp()));
    await withdrawBlocks(ctx, filesOf(made.flatMap((part) => part ?? [])));
    throw error;
  }
}

function sizeOf(pieces: readonly LayoutPiece[], segments: TakenIn['segments']): number {
  const octets = pieces.reduce((sum, piece) => sum + ('octets' in piece ? piece.octets : 0), 0);
  const others = pieces.filter((piece): piece is Piece & { segment: number } => 'segment' in piece);
  return octets + messageSize(others, segments);
}

/** A part that is written while its bytes come. */
interface Growing {
  /** resolves when there is room for more */
  add(bytes: Uint8Array): Promise<void>;
  end(): Promise<Part>;
  /** @returns the part if it was made nevertheless */
  giveUp(): Promise<Part | undefined>;
}

const ROOM = 512 * 1024;

function startPart(ctx: Context): Growing {
  const stream = new PassThrough({ highWaterMark: ROOM });
  const part = makePart(ctx, stream);
  // Whoever adds or ends hears of a failure.
  part.catch(() => undefined);
  return {
    async add(bytes) {
      // The bytes are a view of what was read, which may be used again.
      if (!stream.write(Buffer.from(bytes))) await Promise.race([once(stream, 'drain'), part]);
    },
    async end() {
      stream.end();
      return await part;
    },
    async giveUp() {
      stream.destroy();
      return await part.catch(() => undefined);
    },
  };
}
