import { BlockList, isIP } from 'node:net';
import type { Conditions } from '../../../contract/filevault/acl.ts';
import { fieldProblem } from '../../../base/problem.ts';
import { wholeNumber } from '../../../base/whole-number.ts';

/** Where and when a request was made. The address is the client's; headers of others than configured proxies have no say in it. */
export interface Moment {
  readonly address: string;
  /** milliseconds since 1970 */
  readonly now: number;
}

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** Whether all conditions of an entry hold. An address that is none, as in process, is in no network. */
export function holds({ cidrs, notBefore, notAfter, hours }: Conditions, moment: Moment): boolean {
  const { now } = moment;
  if (notBefore !== undefined && now < Date.parse(notBefore)) return false;
  if (notAfter !== undefined && now >= Date.parse(notAfter)) return false;
  if (hours !== undefined && !isWithin(hours, moment)) return false;
  return cidrs === undefined || cidrs.some((cidr) => isFrom(cidr, moment));
}

interface Known {
  readonly zones: Map<string, LocalTime>;
  readonly networks: Map<string, boolean>;
}

/**
 * What a moment is in time zones and networks. Both take long to find out, and somebody can be in the lists of very many files and folders,
 * which are weighed together.
 */
const knownOf = new WeakMap<Moment, Known>();

function known(moment: Moment): Known {
  const found = knownOf.get(moment) ?? { zones: new Map(), networks: new Map() };
  knownOf.set(moment, found);
  return found;
}

function isFrom(cidr: string, moment: Moment): boolean {
  const { networks } = known(moment);
  const isIn = networks.get(cidr) ?? isInside(cidr, moment.address);
  networks.set(cidr, isIn);
  return isIn;
}

function isInside(cidr: string, address: string): boolean {
  const network = networkOf(cidr);
  const version = isIP(address);
  if (network === undefined || version === 0) return false;
  const list = new BlockList();
  list.addSubnet(network.address, network.bits, network.family);
  return list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

interface Network {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** @returns undefined for a text that is no network in CIDR notation; an address alone is a network of one */
function networkOf(cidr: string): Network | undefined {
  const [address = '', prefix, ...more] = cidr.split('/');
  const version = isIP(address);
  // A zone belongs to one machine, so it says nothing about a client.
  if (version === 0 || more.length > 0 || address.includes('%')) return undefined;
  const most = version === 6 ? IPV6_BITS : IPV4_BITS;
  const bits = prefix === undefined ? most : wholeNumber(prefix);
  if (bits === undefined || bits < 0 || bits > most) return undefined;
  return { address, bits, family: version === 6 ? 'ipv6' : 'ipv4' };
}

type Hours = NonNullable<Conditions['hours']>;

/** Hours over midnight belong to the day on which they begin. */
function isWithin({ from, to, days, timeZone }: Hours, moment: Moment): boolean {
  const { zones } = known(moment);
  const local = zones.get(timeZone) ?? localTime(timeZone, moment.now);
  zones.set(timeZone, local);
  const { day, time } = local;
  const isOn = (index: number): boolean => days === undefined || days.includes(DAYS[(index + 7) % 7] ?? 'sunday');
  if (from === to) return isOn(day);
  if (from < to) return isOn(day) && from <= time && time < to;
  return (isOn(day) && from <= time) || (isOn(day - 1) && time < to);
}

interface LocalTime {
  /** from 0 for Sunday */
  readonly day: number;
  /** `HH:MM` */
  readonly time: string;
}

function localTime(timeZone: string, now: number): LocalTime {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
  const day = DAYS.findIndex((name) => name === parts['weekday']?.toLowerCase());
  return { day, time: `${parts['hour']}:${parts['minute']}` };
}

/** @param path of the conditions in the input. @throws Problem invalid VALIDATION_ERROR */
export function assertConditions({ cidrs = [], notBefore, notAfter, hours }: Conditions, path: string): void {
  for (const [index, cidr] of cidrs.entries())
    if (networkOf(cidr) === undefined)
      throw fieldProblem(`${path}.cidrs.${index}`, 'must be a network such as 192.0.2.0/24 or 2001:db8::/32');
  if (notBefore !== undefined && notAfter !== undefined && Date.parse(notBefore) >= Date.parse(notAfter))
    throw fieldProblem(`${path}.notAfter`, 'must be after notBefore');
  if (hours !== undefined && !isTimeZone(hours.timeZone))
    throw fieldProblem(`${path}.hours.timeZone`, 'must be a time zone such as Europe/Berlin');
}

function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
