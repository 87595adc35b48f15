import { createHash } from 'node:crypto';
import { unzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { concat, fromHex, systemRandom, toHex, utf8 } from '../../../src/crypto/bytes.ts';
import {
  beginMessage,
  CHUNK,
  openHeader,
  openMessage,
  openSegment,
  sealedLength,
  sealMessage,
  sealSegment,
  segmentsOf,
} from '../../../src/crypto/formats/file-content/chunked-encryption.ts';
import vectors from '../../vectors/c2sp-chunked-encryption.json' with { type: 'json' };
import { expectCryptoError } from '../damage.ts';

const key = systemRandom(32);
const salt = systemRandom(24);
const context = utf8('a test');
const whole = CHUNK.segmentBytes + CHUNK.tagBytes;

describe('the published vectors of C2SP chunked encryption', () => {
  const known = vectors.tests.map((one) => Object.assign({ message: unzipSync(fromHex(one.ct)) }, one));

  it.each(known.filter(({ result }) => result === 'valid'))('opens $tcId: $comment', (vector) => {
    const { message } = vector;
    const opened = openMessage(fromHex(vector.key), fromHex(vector.ctx), message);
    expect(opened).toHaveLength(vector.msgLength ?? -1);
    const digest = createHash('sha512').update(opened!).digest('hex');
    expect(digest).toBe(vector.msgSha512);
    const again = sealMessage(fromHex(vector.key), fromHex(vector.ctx), message.subarray(0, 24), opened!);
    expect(toHex(again)).toBe(toHex(message));
    const keys = openHeader(fromHex(vector.key), fromHex(vector.ctx), message.subarray(0, 56));
    expect([toHex(keys!.key), toHex(keys!.baseNonce)]).toEqual([vector.aeadKey, vector.baseNonce]);
  });

  it.each(known.filter(({ result }) => result === 'invalid'))(
    'refuses $tcId: $comment',
    ({ key: hex, ctx, message }) => {
      const open = () => openMessage(fromHex(hex), fromHex(ctx), message);
      if (hex.length === 64) expect(open()).toBeUndefined();
      else expectCryptoError(open);
    },
  );
});

describe('chunked encryption', () => {
  const sizes = [0, 1, 16_383, 16_384, 16_385, 32_768, 100_000, 8 * 1024 ** 2];

  it.each(sizes)('round trips %i bytes, whole and by segments', (size) => {
    const plaintext = Buffer.alloc(size, systemRandom(97));
    const message = sealMessage(key, context, salt, plaintext);
    expect(message).toHaveLength(sealedLength(size));
    expect(Buffer.compare(openMessage(key, context, message)!, plaintext)).toBe(0);
    const { header, keys } = beginMessage(key, context, salt);
    const last = segmentsOf(size) - 1;
    const at = last * CHUNK.segmentBytes;
    const tail = sealSegment(keys, last, plaintext.subarray(at));
    expect(Buffer.compare(message.subarray(0, CHUNK.headerBytes), header)).toBe(0);
    expect(Buffer.compare(message.subarray(CHUNK.headerBytes + last * whole), tail)).toBe(0);
  });

  it('refuses a message that was cut anywhere', () => {
    const message = sealMessage(key, context, salt, Buffer.alloc(40_000, 1));
    const border = CHUNK.headerBytes + 2 * whole;
    for (const length of [
      message.length - 1,
      message.length - CHUNK.tagBytes,
      border,
      border - whole,
      border + 15,
      56,
      0,
    ])
      expect(openMessage(key, context, message.subarray(0, length))).toBeUndefined();
  });

  it('refuses a message with another byte at its end', () => {
    const message = sealMessage(key, context, salt, Buffer.alloc(40_000, 1));
    expect(openMessage(key, context, concat(message, Uint8Array.of(0)))).toBeUndefined();
  });

  it('refuses segments in another order, and one of another place', () => {
    const message = sealMessage(key, context, salt, systemRandom(40_000));
    const [first, second] = [0, 1].map((index) => {
      const at = CHUNK.headerBytes + index * whole;
      return message.subarray(at, at + whole);
    });
    const header = message.subarray(0, CHUNK.headerBytes);
    const rest = message.subarray(CHUNK.headerBytes + 2 * whole);
    expect(openMessage(key, context, concat(header, first!, second!, rest))).toBeDefined();
    expect(openMessage(key, context, concat(header, second!, first!, rest))).toBeUndefined();
    const keys = openHeader(key, context, header)!;
    expect(openSegment(keys, 0, first!)).toBeDefined();
    expect(openSegment(keys, 1, first!)).toBeUndefined();
  });

  it('refuses a flipped bit in salt, commitment, segment and tag', () => {
    const message = sealMessage(key, context, salt, Buffer.alloc(20_000, 1));
    const places = [0, 23, 24, 55, 56, 56 + CHUNK.segmentBytes, 56 + whole - 1, 56 + whole, message.length - 1];
    for (const at of places) {
      const changed = Uint8Array.from(message);
      changed[at] = changed[at]! ^ 0x10;
      expect(openMessage(key, context, changed), `byte ${at}`).toBeUndefined();
    }
  });

  it('refuses another key and another context by the commitment', () => {
    const { header } = beginMessage(key, context, salt);
    expect(openHeader(key, context, header)).toBeDefined();
    expect(openHeader(systemRandom(32), context, header)).toBeUndefined();
    expect(openHeader(key, utf8('another test'), header)).toBeUndefined();
  });

  it('takes keys, salts, headers and segments of their lengths alone', () => {
    const { keys } = beginMessage(key, context, salt);
    expectCryptoError(() => beginMessage(key.subarray(1), context, salt));
    expectCryptoError(() => beginMessage(key, context, salt.subarray(1)));
    expectCryptoError(() => openHeader(key, context, new Uint8Array(55)));
    expectCryptoError(() => sealSegment(keys, 0, new Uint8Array(CHUNK.segmentBytes + 1)));
    expectCryptoError(() => sealSegment(keys, 2 ** 38, new Uint8Array(1)));
    expect(openSegment(keys, 0, new Uint8Array(CHUNK.tagBytes - 1))).toBeUndefined();
  });
});
