const HOUR = 3_600_000;

/** What names were found to mean: each takes a sixth of a millisecond. Names may be written in any case. */
const found = new Map<string, string>();
const MOST_FOUND = 2_000;

/** A name of IANA with its letters' case corrected; undefined if there is no such zone. Aliases stay what they are. */
export function zoneNamed(name: string): string | undefined {
  const before = found.get(name);
  if (before !== undefined) return before;
  const zone = lookUp(name);
  if (zone === undefined) return undefined;
  if (found.size >= MOST_FOUND) found.clear();
  found.set(name, zone);
  return zone;
}

function lookUp(name: string): string | undefined {
  // Names of three letters that only ICU knows mean several zones each.
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(name) || foreign.test(name)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const foreign =
  /^(?:ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*|Etc\/Unknown)$/i;

/** Zones whose offset is no whole hour and does not change. */
const parts: Readonly<Record<number, string>> = {
  [-9.5]: 'Pacific/Marquesas',
  3.5: 'Asia/Tehran',
  4.5: 'Asia/Kabul',
  5.5: 'Asia/Kolkata',
  5.75: 'Asia/Kathmandu',
  6.5: 'Asia/Yangon',
  8.75: 'Australia/Eucla',
  9.5: 'Australia/Darwin',
};

/** The zone with this offset in milliseconds and no other: `Etc/GMT-1` is an hour ahead of UTC. Not every offset has one. */
export function fixedZone(offset: number): string | undefined {
  const hours = offset / HOUR;
  if (hours === 0) return 'UTC';
  if (Number.isInteger(hours) && hours >= -12 && hours <= 14)
    return `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
  return parts[hours];
}
