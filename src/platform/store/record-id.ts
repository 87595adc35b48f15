const timeBytes = 6;
const randomBytes = 10;

/**
 * A new id: 16 bytes as hex, with 48 bits of milliseconds and 80 random bits. So ids sort by age, and rows that are made together lie
 * together.
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

/** When the id was made, in milliseconds since 1970. */
export function recordTime(id: string): number {
  return Buffer.from(id, 'hex').readUIntBE(0, timeBytes);
}

/** Each step is below 2^40, and the range is 2^79: far more ids fit into it than anybody makes at once. */
const stepBytes = 5;

/** New ids of things that are made together. Each id is greater than the one before, so their order is the order of making. */
export function recordIds(nowMs: number, random: (bytes: number) => Uint8Array): () => string {
  const first = Buffer.from(recordId(nowMs, random), 'hex');
  first[timeBytes] = (first[timeBytes] ?? 0) & 0x7f;
  let last = BigInt(`0x${first.toString('hex')}`);
  return () => {
    last += 1n + BigInt(`0x${Buffer.from(random(stepBytes)).toString('hex')}`);
    return last.toString(16).padStart(2 * (timeBytes + randomBytes), '0');
  };
}

const counterBytes = 4;

/**
 * Makes ids like those of `recordId`, each greater than the one before, whatever the clock does. Most of their random bits are drawn once,
 * so they are no secrets.
 */
export function countedIds(): (nowMs: number, random: (bytes: number) => Uint8Array) => string {
  let drawn: string | undefined;
  let latest = 0;
  let count = 0;
  return (nowMs, random) => {
    drawn ??= Buffer.from(random(randomBytes - counterBytes)).toString('hex');
    if (nowMs > latest) {
      latest = nowMs;
      count = 0;
    }
    const time = latest.toString(16).padStart(2 * timeBytes, '0');
    const number = (count++).toString(16).padStart(2 * counterBytes, '0');
    return time + number + drawn;
  };
}
