import type { PoolMode } from '../../../crypto/formats/access-list/document.ts';

const strictness: Readonly<Record<PoolMode, number>> = { open: 0, approval: 1, closed: 2 };

/** Which of two modes is stricter: positive if the first one is. */
export function compareModes(one: PoolMode, other: PoolMode): number {
  return strictness[one] - strictness[other];
}

/** The end of an admission in milliseconds; infinite if it has none. */
export function endOf(expiresAt: string | null): number {
  return expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
}
