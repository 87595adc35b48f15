const timeBytes = 6;
const randomBytes = 10;

/**
 * A new id: 16 bytes as hex, 48 bits of milliseconds and 80 random ones, so that ids sort by age and rows that are made together
 * lie together.
 * @param random cryptographic randomness of the given number of bytes
 */
export function recordId(nowMs: number, random: (bytes: number) => Uint8Array): string {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs >= 2 ** (8 * timeBytes))
    throw new RangeError('nowMs is no time that fits 48 bits');
  const id = Buffer.alloc(timeBytes + randomBytes);
  id.writeUIntBE(nowMs, 0, timeBytes);
  id.set(random(randomBytes), timeBytes);
  return id.toString('hex');
}
