import { createHash } from 'node:crypto';
import { toHex } from '../../crypto/bytes.ts';

/** The facts about a kept envelope that are in memory. */
export interface Kept {
  readonly id: string;
  readonly timestamp: number;
  /** kept until then */
  readonly until: number;
  readonly size: number;
}

/** Envelopes are compared in groups of five minutes, about 290 groups in a day. */
const SPAN_MS = 300_000;

/** An index in memory of the envelopes that this node keeps for others: ids, and digests of groups of ids. */
export interface RecentIndex {
  has(id: string): boolean;
  add(kept: Kept): void;
  remove(ids: readonly string[]): void;
  /** ids whose time is over, then the oldest ones that exceed the size limit; they are not removed yet */
  surplus(nowMs: number): string[];
  /** number of a group → SHA-256 over its sorted ids, hex */
  digests(): Record<string, string>;
  idsOf(spans: readonly number[]): string[];
  readonly size: number;
}

export function recentIndex(limits: { keptRows: number; keptBytes: number }): RecentIndex {
  const all = new Map<string, Kept>();
  const spans = new Map<number, Set<string>>();
  const digests = new Map<number, string>();
  let bytes = 0;

  function drop(id: string): void {
    const kept = all.get(id);
    if (kept === undefined) return;
    all.delete(id);
    bytes -= kept.size;
    const span = spanOf(kept);
    const ids = spans.get(span);
    ids?.delete(id);
    if (ids?.size === 0) spans.delete(span);
    digests.delete(span);
  }

  return {
    has: (id) => all.has(id),
    add(kept) {
      if (all.has(kept.id)) return;
      all.set(kept.id, kept);
      bytes += kept.size;
      const span = spanOf(kept);
      const ids = spans.get(span) ?? new Set<string>();
      spans.set(span, ids.add(kept.id));
      digests.delete(span);
    },
    remove: (ids) => ids.forEach(drop),
    surplus(nowMs) {
      const found: string[] = [];
      let [rows, left] = [all.size, bytes];
      for (const kept of all.values()) {
        if (kept.until >= nowMs) continue;
        found.push(kept.id);
        rows -= 1;
        left -= kept.size;
      }
      if (rows <= limits.keptRows && left <= limits.keptBytes) return found;
      for (const kept of [...all.values()].toSorted((one, other) => one.timestamp - other.timestamp)) {
        if (rows <= limits.keptRows && left <= limits.keptBytes) break;
        if (kept.until < nowMs) continue;
        found.push(kept.id);
        rows -= 1;
        left -= kept.size;
      }
      return found;
    },
    digests() {
      for (const [span, ids] of spans) if (!digests.has(span)) digests.set(span, digestOf(ids));
      return Object.fromEntries(digests);
    },
    idsOf: (wanted) => wanted.flatMap((span) => [...(spans.get(span) ?? [])]),
    get size() {
      return all.size;
    },
  };
}

function spanOf({ timestamp }: Kept): number {
  return Math.floor(timestamp / SPAN_MS);
}

function digestOf(ids: ReadonlySet<string>): string {
  const hash = createHash('sha256');
  for (const id of [...ids].toSorted()) hash.update(id);
  return toHex(hash.digest());
}
