import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat } from '../../../src/crypto/bytes.ts';
import { CHUNK, openMessage, sealedLength } from '../../../src/crypto/formats/file-content/chunked-encryption.ts';
import { blockContext, type Manifest } from '../../../src/crypto/formats/file-content/file-content.ts';
import { contentHash, sha256Hex } from '../../../src/crypto/hash.ts';
import { openBlocks, sealBlock } from '../../../src/crypto/formats/file-content/sealed-stream.ts';
import { inStage, runs } from '../../support/stage.ts';

const key = Uint8Array.from(randomBytes(32));
const named = { id: 'aa'.repeat(16), file_id: 'bb'.repeat(16) };

async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function sealed(plaintext: Uint8Array, place: number, piece = 10_000) {
  const block = sealBlock(
    key,
    named,
    place,
    () => inPieces(plaintext, piece),
    () => Uint8Array.from(randomBytes(24)),
  );
  const pieces: Uint8Array[] = [];
  for await (const part of block.pieces()) pieces.push(part);
  return { bytes: concat(...pieces), hashes: block.hashes!, block };
}

const anything = fc
  .record({
    chunkSize: fc.integer({ min: 1, max: 3 * CHUNK.segmentBytes }),
    size: fc.integer({ min: 1, max: 5 * CHUNK.segmentBytes }),
    into: fc.integer({ min: 1, max: 40_000 }),
    outOf: fc.integer({ min: 1, max: 40_000 }),
  })
  // Each block has a key of its own to derive. Hundreds of them show the same as tens of thousands.
  .map((one) => Object.assign(one, { chunkSize: Math.max(one.chunkSize, Math.ceil(one.size / 300)) }));

/** The content in blocks, as a server gives them out. */
async function content(size: number, chunkSize: number, piece: number) {
  const plaintext = Uint8Array.from(randomBytes(size));
  const blocks = [];
  for (let at = 0; at < size; at += chunkSize)
    blocks.push(await sealed(plaintext.subarray(at, at + chunkSize), blocks.length, piece));
  const manifest: Manifest = { size, chunkSize, hashes: blocks.map(({ hashes }) => hashes.sha3_512) };
  return { plaintext, manifest, bytes: concat(...blocks.map((block) => block.bytes)) };
}

describe('blocks as streams', () => {
  it('are the messages of chunked encryption, with their hashes', async () => {
    for (const size of [1, 16_383, 16_384, 16_385, 100_000, 300_000]) {
      const plaintext = Uint8Array.from(randomBytes(size));
      const { bytes, hashes } = await sealed(plaintext, 3);
      expect(bytes).toHaveLength(sealedLength(size));
      expect(openMessage(key, blockContext(named, 3), bytes)).toEqual(plaintext);
      expect(openMessage(key, blockContext(named, 2), bytes)).toBeUndefined();
      expect(hashes).toEqual({ sha256: sha256Hex(bytes), sha3_512: contentHash(bytes) });
    }
  });

  it('have a new salt each time that they are read, and hashes only at their end', async () => {
    const { block, bytes } = await sealed(Uint8Array.of(1, 2, 3), 0);
    const again = block.pieces();
    const { value } = await again.next();
    expect(Buffer.from(value as Uint8Array).subarray(0, 24)).not.toEqual(Buffer.from(bytes).subarray(0, 24));
    expect(block.hashes).toBeUndefined();
    await again.next();
    expect(block.hashes?.sha256).toBe(sha256Hex(value as Uint8Array));
  });

  it('open in pieces of any size, and from any block on', { tags: 'thorough' }, async () => {
    await fc.assert(
      fc.asyncProperty(anything, async ({ chunkSize, size, into, outOf }) => {
        const { plaintext, manifest, bytes } = await content(size, chunkSize, into);
        const read = (first: number): Uint8Array => {
          const opener = openBlocks(key, named, manifest, first);
          const opened: Uint8Array[] = [];
          for (let at = first * sealedLength(chunkSize); at < bytes.length; at += outOf)
            opened.push(...opener.push(bytes.subarray(at, at + outOf))!);
          expect(opener.isWhole()).toBe(true);
          return concat(...opened);
        };
        // Comparing so many numbers one by one would take most of the time.
        expect(Buffer.compare(read(0), plaintext)).toBe(0);
        const last = manifest.hashes.length - 1;
        expect(Buffer.compare(read(last), plaintext.subarray(last * chunkSize))).toBe(0);
      }),
      { numRuns: runs(inStage(200, 60, 200)) },
    );
  });

  it('open nothing after a byte was changed, and are not whole when bytes are missing', async () => {
    const { manifest, bytes } = await content(40_000, 20_000, 9_999);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ change : byte));
        const opener = openBlocks(key, named, manifest);
        expect(opener.push(changed)).toBeUndefined();
        expect(opener.push(new Uint8Array())).toBeUndefined();
        expect(opener.isWhole()).toBe(false);
        const short = openBlocks(key, named, manifest);
        short.push(bytes.subarray(0, at));
        expect(short.isWhole()).toBe(false);
      }),
      { numRuns: runs(inStage(300, 120, 300)) },
    );
    const longer = openBlocks(key, named, manifest);
    expect(longer.push(concat(bytes, Uint8Array.of(0)))).toBeUndefined();
  });
});
