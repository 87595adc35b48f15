export interface Fault {
  /** index of the entry; null if the fault is not about an entry */
  readonly index: number | null;
  readonly what: string;
}

/** The maximum number of faults in the list; further faults are only counted. */
const mostNamed = 100;

/** Collects faults, and counts them for each check. */
export interface Faults {
  readonly named: readonly Fault[];
  readonly more: number;
  add(check: string, index: number | null, what: string): void;
  /** whether a known fault of an entry in this range explains a wrong hash over the range */
  explains(start: number, end: number): boolean;
  countOf(check: string): number;
}

export function collectFaults(): Faults {
  const named: Fault[] = [];
  const counts = new Map<string, number>();
  let first = Number.POSITIVE_INFINITY;
  let more = 0;
  return {
    named,
    get more() {
      return more;
    },
    add(check, index, what) {
      counts.set(check, (counts.get(check) ?? 0) + 1);
      first = Math.min(first, index ?? Number.POSITIVE_INFINITY);
      if (named.length < mostNamed) named.push({ index, what });
      else more += 1;
    },
    explains(start, end) {
      if (named.some(({ index }) => index !== null && index >= start && index < end)) return true;
      return more > 0 && first < end;
    },
    countOf: (check) => counts.get(check) ?? 0,
  };
}
