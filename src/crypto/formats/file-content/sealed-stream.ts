import { createHash, type Hash } from 'node:crypto';
import { concat, plain } from '../../bytes.ts';
import { beginMessage, CHUNK, openHeader, openSegment, sealSegment, type MessageKeys } from './chunked-encryption.ts';
import { blockContext, blockSize, type Manifest, type Named } from './file-content.ts';

/** Blocks of a content as streams: no block is ever whole in memory. */
export interface SealedBlock {
  /** of the ciphertext, hex; undefined until the last piece was read */
  readonly hashes: { readonly sha256: string; readonly sha3_512: string } | undefined;
  pieces(): AsyncGenerator<Uint8Array>;
}

/** Segments that leave together. */
const SEGMENTS_AT_ONCE = 16;

/**
 * Encrypts the block at a place. Each call of `pieces` reads the plaintext again and takes a new salt, so that a block that is sent again
 * never meets the nonces of the earlier one, not even if the plaintext has changed in between.
 *
 * @param key of the content, 32 bytes
 * @param salt gives 24 random bytes
 */
export function sealBlock(
  key: Uint8Array,
  named: Named,
  place: number,
  plaintext: () => AsyncIterable<Uint8Array>,
  salt: () => Uint8Array,
): SealedBlock {
  let hashes: SealedBlock['hashes'];
  return {
    get hashes() {
      return hashes;
    },
    async *pieces() {
      hashes = undefined;
      const { header, keys } = beginMessage(key, blockContext(named, place), salt());
      const [sha256, sha3] = [createHash('sha256'), createHash('sha3-512')];
      for await (const piece of segments(header, keys, plaintext())) {
        sha256.update(piece);
        sha3.update(piece);
        yield piece;
      }
      hashes = { sha256: sha256.digest('hex'), sha3_512: sha3.digest('hex') };
    },
  };
}

async function* segments(
  header: Uint8Array,
  keys: MessageKeys,
  plaintext: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let out: Uint8Array[] = [header];
  let rest: Uint8Array = new Uint8Array();
  let index = 0;
  for await (const piece of plaintext) {
    const bytes = rest.length === 0 ? piece : concat(rest, piece);
    let at = 0;
    for (; bytes.length - at >= CHUNK.segmentBytes; at += CHUNK.segmentBytes) {
      out.push(sealSegment(keys, index, bytes.subarray(at, at + CHUNK.segmentBytes)));
      index += 1;
      if (out.length < SEGMENTS_AT_ONCE) continue;
      yield Buffer.concat(out);
      out = [];
    }
    // A copy: whoever gave the piece may use its memory again.
    rest = plain(bytes.subarray(at));
  }
  out.push(sealSegment(keys, index, rest));
  yield Buffer.concat(out);
}

/** Opens the encrypted blocks of a content, one after another, as they arrive. */
export interface BlockOpener {
  /** @returns authenticated plaintext; undefined if something is not what the manifest lists */
  push(sealed: Uint8Array): Uint8Array[] | undefined;
  /** whether everything before a block has arrived, and nothing more. @param behind the place of the block; all blocks unless said otherwise */
  isWhole(behind?: number): boolean;
}

/**
 * Each segment is authenticated for its place before it leaves. The hash of a block shows only at its end whether it is the block that the
 * manifest lists, or an earlier one that the same client has sent for the same place: whoever keeps the plaintext looks at `isWhole` first.
 *
 * @param key of the content, 32 bytes
 * @param first the place of the block that arrives first
 */
export function openBlocks(key: Uint8Array, named: Named, manifest: Manifest, first = 0): BlockOpener {
  let place = first;
  let waiting: Uint8Array[] = [];
  let held = 0;
  let block: { readonly keys: MessageKeys; readonly hash: Hash; index: number; left: number } | undefined;
  let failed = false;

  /** @returns undefined for damage */
  function step(bytes: Uint8Array): Uint8Array | undefined {
    if (block === undefined) {
      const keys = openHeader(key, blockContext(named, place), bytes);
      if (keys === undefined) return undefined;
      block = { keys, hash: createHash('sha3-512').update(bytes), index: 0, left: blockSize(manifest, place) };
      return new Uint8Array();
    }
    const { keys, hash, index, left } = block;
    const opened = openSegment(keys, index, bytes);
    if (opened === undefined) return undefined;
    hash.update(bytes);
    block.index += 1;
    block.left -= opened.length;
    // The last segment is always shorter than the others.
    if (left < CHUNK.segmentBytes) {
      if (hash.digest('hex') !== manifest.hashes[place]) return undefined;
      block = undefined;
      place += 1;
    }
    return opened;
  }

  function needed(): number {
    if (block === undefined) return CHUNK.headerBytes;
    return Math.min(block.left, CHUNK.segmentBytes) + CHUNK.tagBytes;
  }

  return {
    push(sealed) {
      // Small pieces are joined when they make a whole segment, not each time that one comes.
      if (!failed && place < manifest.hashes.length && held + sealed.length < needed()) {
        waiting.push(plain(sealed));
        held += sealed.length;
        return [];
      }
      const bytes = held === 0 ? sealed : concat(...waiting, sealed);
      const out: Uint8Array[] = [];
      let at = 0;
      while (!failed && place < manifest.hashes.length && bytes.length - at >= needed()) {
        const length = needed();
        const opened = step(bytes.subarray(at, at + length));
        at += length;
        if (opened === undefined) failed = true;
        else if (opened.length > 0) out.push(opened);
      }
      if (failed || (place === manifest.hashes.length && at < bytes.length)) {
        failed = true;
        return undefined;
      }
      held = bytes.length - at;
      waiting = held === 0 ? [] : [plain(bytes.subarray(at))];
      return out;
    },
    isWhole: (behind = manifest.hashes.length) => !failed && block === undefined && place === behind && held === 0,
  };
}
