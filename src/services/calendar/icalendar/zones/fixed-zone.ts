const HOUR = 3_600_000;

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
