import { expect } from 'vitest';
import { verifyFileProof } from '../../../../src/crypto/formats/file-proofs/verify.ts';
import type { SecondVerifier } from './second-verifier.ts';

/** The bytes with one that is another one, one more, or one less. */
export function mutated(bytes: Buffer, at: number, random: () => number): Buffer {
  const other = (bytes[at] ?? 0) ^ (1 + Math.floor(random() * 255));
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + 1)];
  const kind = random();
  if (kind < 0.8) return Buffer.concat([before, Buffer.of(other), after]);
  const whole = bytes.subarray(at);
  return kind < 0.9 ? Buffer.concat([before, Buffer.of(other), whole]) : Buffer.concat([before, after]);
}

/** @returns that both verifiers said no */
export async function refusedByBoth(second: SecondVerifier, bytes: Buffer, key: string): Promise<boolean> {
  // As a command reads a file.
  const text = bytes.toString('utf8');
  for (const known of [undefined, key]) {
    const { verdict, notProven } = await verifyFileProof(text, { key: known });
    expect([verdict, notProven.length > 0], text).toEqual(['invalid', true]);
  }
  const other = await second.check(bytes);
  expect([other.exitCode, other.said], text).toEqual([1, expect.stringMatching(/^Not valid[^]*Not proven: /)]);
  return other.exitCode === 1;
}
