import { createHmac, hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { fromHex, systemRandom, toHex } from '../../src/crypto/bytes.ts';
import {
  around,
  decodeCover,
  encodeCover,
  hasValue,
  puncture,
  valueAt,
  wholeTree,
  wipe,
  type Cover,
} from '../../src/crypto/puncturable-prf.ts';
import { seeded } from '../support/run-seed.ts';
import { runs } from '../support/stage.ts';
import hkdf from '../vectors/hkdf-sha256.json' with { type: 'json' };
import { damaged, expectCryptoError } from './damage.ts';

const LAST = 2 ** 40 - 1;
const seed = Uint8Array.from({ length: 32 }, (_, at) => at);

/** HKDF-Expand as it is written in RFC 5869, 2.3, for one block. */
function expand(prk: Uint8Array, info: Uint8Array | string): Buffer {
  return createHmac('sha256', prk).update(info).update(Uint8Array.of(1)).digest();
}

/** The value by the definition: a step for each of the 40 bits, the highest first. */
function plainValue(root: Uint8Array, slot: number): string {
  let at: Uint8Array = root;
  for (const bit of slot.toString(2).padStart(40, '0')) at = expand(at, `conclave/puncturable-prf/v1/${bit}`);
  return expand(at, 'conclave/puncturable-prf/v1/value').toString('hex');
}

const hexAt = (cover: Cover, slot: number): string | undefined => {
  const value = valueAt(cover, slot);
  return value && toHex(value);
};

/** Slots that lie together, far apart and at the ends: what has to be told apart is next to each other. */
const slot = fc.oneof(
  fc.nat(64),
  fc.nat(64).map((below) => LAST - below),
  fc.integer({ min: 0, max: LAST }),
);

describe('the step of HKDF-Expand', () => {
  it.each(hkdf.vectors)('is that of RFC 5869: $okm', ({ ikm, salt, info, okm }) => {
    const prk = createHmac('sha256', fromHex(salt)).update(fromHex(ikm)).digest();
    expect(expand(prk, fromHex(info)).toString('hex')).toBe(okm.slice(0, 64));
    expect(Buffer.from(hkdfSync('sha256', fromHex(ikm), fromHex(salt), fromHex(info), 32)).toString('hex')).toBe(
      okm.slice(0, 64),
    );
  });
});

describe('the values', () => {
  it('are those of the definition', () => {
    fc.assert(
      fc.property(slot, (at) => {
        expect(hexAt(wholeTree(seed), at)).toBe(plainValue(seed, at));
      }),
      { numRuns: runs(100) },
    );
  });

  it('stay what they were in the first version', () => {
    const kept = [0, 1, 2 ** 32, LAST].map((at) => hexAt(wholeTree(seed), at)?.slice(0, 16));
    expect(kept).toEqual(['4f6b07c74cea5589', 'c148ad46fd454db3', 'f91809f2b40f59e0', '47990318fe3876ba']);
  });

  it('are undefined where they were forgotten, and all others stay', () => {
    fc.assert(
      fc.property(fc.array(slot, { maxLength: 40 }), fc.array(slot, { maxLength: 10 }), (gone, others) => {
        const cover = puncture(wholeTree(seed), gone);
        for (const at of gone) expect([hexAt(cover, at), hasValue(cover, at)]).toEqual([undefined, false]);
        const near = gone.flatMap((at) => [at - 1, at + 1, at ^ 1]).filter((at) => at >= 0 && at <= LAST);
        for (const at of [...others, ...near]) {
          if (gone.includes(at)) continue;
          expect([hexAt(cover, at), hasValue(cover, at)]).toEqual([plainValue(seed, at), true]);
        }
      }),
      { numRuns: runs(50) },
    );
  });

  it('come from a seed of the slots around, which gives no value that was forgotten', () => {
    fc.assert(
      fc.property(fc.array(slot, { maxLength: 40 }), slot, fc.nat(40), (gone, at, levels) => {
        const cover = puncture(wholeTree(seed), gone);
        const node = around(cover, at, levels);
        expect(node === undefined).toBe(gone.includes(at));
        if (node === undefined) return;
        expect(2 ** (40 - node.depth)).toBeLessThanOrEqual(2 ** levels);
        const others = [1, 127, 256, 2 ** 39].flatMap((step) => [(at + step) % (LAST + 1), Math.abs(at - step)]);
        for (const other of [at, ...others, ...gone])
          if (hasValue([node], other)) expect(hexAt([node], other)).toBe(hexAt(cover, other));
        expect(gone.filter((one) => hasValue([node], one))).toEqual([]);
        expect(hasValue([node], at)).toBe(true);
      }),
      { numRuns: runs(100) },
    );
  });

  it('cannot be derived from what is left: no seed on the way to a forgotten slot is in the cover', () => {
    const gone = [0, 5, 6, 7, 2 ** 39, LAST];
    const left = new Set(puncture(wholeTree(seed), gone).map((node) => toHex(node.seed)));
    for (const one of gone) {
      let at: Uint8Array = seed;
      expect(left).not.toContain(toHex(at));
      for (const bit of one.toString(2).padStart(40, '0')) {
        at = expand(at, `conclave/puncturable-prf/v1/${bit}`);
        expect(left).not.toContain(toHex(at));
      }
    }
  });

  it('have slots of 40 bits, and seeds of 32 bytes', () => {
    for (const wrong of [-1, LAST + 1, 0.5, Number.NaN, 2 ** 53, 1n as unknown as number]) {
      const message = 'slot must be an integer from 0 to 1099511627775';
      expectCryptoError(() => valueAt(wholeTree(seed), wrong), message);
      expectCryptoError(() => hasValue(wholeTree(seed), wrong), message);
      expectCryptoError(() => puncture(wholeTree(seed), [1, wrong]), message);
      expectCryptoError(() => around(wholeTree(seed), wrong, 8), message);
    }
    expectCryptoError(() => wholeTree(new Uint8Array(31)), 'seed must have 32 bytes, not 31');
  });
});

describe('a cover', () => {
  it('is the same for the same slots in any order, at once or one by one, and as it is read again', () => {
    const random = seeded(inject('seed'));
    fc.assert(
      fc.property(fc.array(slot, { maxLength: 30 }), (gone) => {
        const atOnce = encodeCover(puncture(wholeTree(seed), gone));
        const order = gone.map((at) => [random(), at] as const).sort(([one], [other]) => one - other);
        const cut = Math.floor(random() * gone.length);
        let cover = wholeTree(seed);
        for (const [, at] of order.slice(cut)) cover = puncture(cover, [at, at]);
        cover = puncture(
          decodeCover(encodeCover(cover)) ?? [],
          order.map(([, at]) => at),
        );
        expect(toHex(encodeCover(cover))).toBe(toHex(atOnce));
        expect(decodeCover(atOnce)).toEqual(cover);
        expect(encodeCover(puncture(cover, gone))).toEqual(atOnce);
      }),
      { numRuns: runs(100) },
    );
  });

  it('can be wiped, and what was made of it stays', () => {
    const root = Uint8Array.from(seed);
    const first = wholeTree(root);
    const second = puncture(first, [5]);
    const third = puncture(second, [6]);
    wipe(first);
    wipe(second);
    expect(root).toEqual(seed);
    expect(first.concat(second).every((node) => node.seed.every((byte) => byte === 0))).toBe(true);
    expect(hexAt(third, 7)).toBe(plainValue(seed, 7));
  });

  it('is read only as it was written', () => {
    const whole = encodeCover(puncture(wholeTree(systemRandom(32)), [3, 9, 2 ** 30]));
    for (let length = 0; length < whole.length; length += 1)
      expect(decodeCover(whole.subarray(0, length))).toBeUndefined();
    fc.assert(
      fc.property(damaged(whole), (bytes) => {
        const cover = decodeCover(bytes);
        // A seed has no right form: the file has a hash for that.
        if (cover !== undefined) expect(encodeCover(cover)).toEqual(bytes);
      }),
      { numRuns: runs(300) },
    );
  });

  it.each<[string, readonly (readonly [first: number, depth: number])[]]>([
    ['a depth below the leaves', [[0, 41]]],
    ['a slot that is no beginning of its node', [[1, 39]]],
    [
      'another order',
      [
        [4, 40],
        [2, 40],
      ],
    ],
    [
      'the same twice',
      [
        [4, 40],
        [4, 40],
      ],
    ],
    [
      'a node within the one before',
      [
        [0, 30],
        [8, 40],
      ],
    ],
    [
      'siblings',
      [
        [8, 38],
        [12, 38],
      ],
    ],
  ])('is refused with %s', (_, nodes) => {
    expect(decodeCover(encoded(nodes))).toBeUndefined();
  });

  it('may have neighbours that are no siblings, or nothing', () => {
    expect(
      decodeCover(
        encoded([
          [4, 38],
          [8, 38],
        ]),
      ),
    ).toHaveLength(2);
    expect(decodeCover(encoded([]))).toEqual([]);
  });

  it('has the size that theory says when 10000 of 100000 slots are forgotten', () => {
    const random = seeded(inject('seed'));
    const gone = new Set<number>();
    while (gone.size < 10_000) gone.add(Math.floor(random() * 100_000));
    const cover = puncture(wholeTree(seed), [...gone]);
    // 23 nodes beside the way to the lowest 2^17 slots; in there at most one for each level and slot, without those that the slots share.
    const most = 23 + 10_000 * (17 - Math.log2(10_000));
    expect(cover.length).toBeLessThan(most);
    expect(encodeCover(cover)).toHaveLength(8 + 38 * cover.length);
    for (let at = 0; at < 100_000; at += 1) if (hasValue(cover, at) === gone.has(at)) expect.fail(`slot ${at}`);
    for (let at = 0; at < 100_000; at += 997) if (!gone.has(at)) expect(hexAt(cover, at)).toBe(plainValue(seed, at));
  });

  it('is small when all slots of a stretch are forgotten', () => {
    const slots = Array.from({ length: 5000 }, (_, at) => at);
    expect(puncture(wholeTree(seed), slots).length).toBeLessThanOrEqual(40);
    expect(puncture(wholeTree(seed), [7])).toHaveLength(40);
  });
});

/** With these nodes, whatever they are. */
function encoded(nodes: readonly (readonly [first: number, depth: number])[]): Uint8Array {
  return encodeCover(nodes.map(([first, depth]) => ({ first, depth, seed })));
}
