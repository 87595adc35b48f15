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

/** Far more ids than anybody makes at once fit between the first and the end: each step is below 2^40 of 2^79. */
const stepBytes = 5;

/** New ids of things that are made together, each after the one before: in the order of the ids they are in that of their making. */
export function recordIds(nowMs: number, random: (bytes: number) => Uint8Array): () => string {
  const first = Buffer.from(recordId(nowMs, random), 'hex');
  first[timeBytes] = (first[timeBytes] ?? 0) & 0x7f;
  let last = BigInt(`0x${first.toString('hex')}`);
  return () => {
    last += 1n + BigInt(`0x${Buffer.from(random(stepBytes)).toString('hex')}`);
    return last.toString(16).padStart(2 * (timeBytes + randomBytes), '0');
  };
}
