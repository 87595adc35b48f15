interface Clocks {
  readonly connected: number;
  readonly wrongClocks: readonly { readonly nodeId: string; readonly aheadMs: number }[];
}

const SHOWN = 5;

/** The lines about clocks that differ. If it is from all others, then the clock of this node is the wrong one. */
export function clockRows({ connected, wrongClocks }: Clocks, nameOf: (nodeId: string) => string): [string, string][] {
  // By a clock that is years ahead all others may have expired: then none of them is admitted.
  if (wrongClocks.length > 1 && (wrongClocks.length === connected || connected === 0)) {
    const by = new Set(wrongClocks.map(({ aheadMs }) => offBy(-aheadMs)));
    if (by.size === 1)
      return [['Clock', `this node is ${[...by].join()} all ${wrongClocks.length} connected nodes: set its clock`]];
  }
  const lines = wrongClocks
    .slice(0, SHOWN)
    .map(({ nodeId, aheadMs }): [string, string] => ['Clock', `${nameOf(nodeId)} is ${offBy(aheadMs)} this node`]);
  const more = wrongClocks.length - lines.length;
  return more > 0 ? [...lines, ['Clock', `${more} more nodes differ by more than a minute`]] : lines;
}

const MINUTE = 60_000;
const units = [
  ['day', 1_440 * MINUTE],
  ['hour', 60 * MINUTE],
  ['minute', MINUTE],
] as const;

function offBy(aheadMs: number): string {
  const off = Math.abs(aheadMs);
  const [unit, length] = units.find(([, ms]) => off >= ms) ?? units[2];
  const count = Math.max(1, Math.round(off / length));
  return `${count} ${unit}${count === 1 ? '' : 's'} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}
