import fc from 'fast-check';
import { expect } from 'vitest';
import { concat } from '../../src/crypto/bytes.ts';
import { CryptoError } from '../../src/crypto/crypto-error.ts';

/** What happens to bytes on the way: cut off (down to nothing), one bit flipped, something behind them, other bytes altogether. */
export function damaged(original: Uint8Array): fc.Arbitrary<Uint8Array> {
  return fc.oneof(
    fc.constant(new Uint8Array()),
    fc.nat(original.length - 1).map((length) => original.slice(0, length)),
    fc.nat(original.length * 8 - 1).map((bit) => flipped(original, bit)),
    fc.uint8Array({ minLength: 1, maxLength: 64 }).map((tail) => concat(original, tail)),
    fc.uint8Array({ maxLength: 2 * original.length }).filter((bytes) => toString(bytes) !== toString(original)),
  );
}

/** The same of a text: cut off, one bit of a character flipped, something behind it (up to 128 KiB of it), another text altogether. */
export function damagedText(original: string): fc.Arbitrary<string> {
  const flippedAt = (at: number, bit: number): string =>
    original.slice(0, at) + String.fromCharCode(original.charCodeAt(at) ^ (1 << bit)) + original.slice(at + 1);
  return fc
    .oneof(
      fc.constantFrom('', ' ', original.repeat(2), original.repeat(Math.ceil(2 ** 17 / original.length))),
      fc.nat(original.length - 1).map((length) => original.slice(0, length)),
      fc.tuple(fc.nat(original.length - 1), fc.nat(15)).map(([at, bit]) => flippedAt(at, bit)),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 64 }).map((tail) => original + tail),
      fc.string({ unit: 'binary', maxLength: 2 * original.length }),
    )
    .filter((text) => text !== original);
}

export function flipped(original: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(original);
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}

/** The call throws `CryptoError` itself, nothing else; for this reason, where one is given. */
export function expectCryptoError(call: () => unknown, reason?: string): void {
  let thrown: unknown = 'nothing';
  try {
    call();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(CryptoError);
  if (reason !== undefined) expect((thrown as CryptoError).message).toBe(reason);
}

/** What the call returns, or undefined when it throws `CryptoError`; any other error fails the test. */
export function resultOrCryptoError<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    expect(error).toBeInstanceOf(CryptoError);
    return undefined;
  }
}

export async function expectCryptoRejection(promise: Promise<unknown>, reason?: string): Promise<void> {
  const outcome = await promise.then(
    () => 'nothing',
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(CryptoError);
  if (reason !== undefined) expect((outcome as CryptoError).message).toBe(reason);
}

function toString(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
