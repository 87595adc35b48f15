/**
 * In which order messages about an event arrive makes no difference to what an attendee has at the end (RFC 5546 2.1.5). The rule:
 *
 * - Each message has a version: SEQUENCE, and of equal ones DTSTAMP. Of the series, and of each instance that comes by itself, the message with the
 *   highest version counts.
 * - A message about the whole series replaces instances of an older version. A message about an instance that is older than that of the series is ignored.
 * - A cancellation has a SEQUENCE alone. It holds against whatever has the same one or a lower one, whenever that was sent: removals win. Only a
 *   higher SEQUENCE invites anew. What was cancelled is remembered, also if nobody has heard of the event before.
 * - Of the times that an attendee proposes the last one counts. An organizer declines a proposal with its SEQUENCE or a higher one, not before it was made,
 *   for the same instance, and names its time or that of the event, or none. What declines another one, which was replaced since, changes nothing.
 */

export interface Version {
  readonly sequence: number;
  /** DTSTAMP, in milliseconds since 1970 */
  readonly stamp: number;
}

/** What an attendee remembers of messages about an event. Keys of instances are their RECURRENCE-IDs. */
export interface Versions {
  /** of the message about the series that counts */
  readonly series?: Version;
  /** of instances that came by themselves */
  readonly instances: Readonly<Record<string, Version>>;
  /** SEQUENCE of the cancellation of the whole event */
  readonly cancelled?: number;
  /** the same of instances */
  readonly cancelledInstances: Readonly<Record<string, number>>;
  /** address of whoever cancelled it in the name of the organizer before it was known */
  readonly by?: string;
}

export const noVersions: Versions = { instances: {}, cancelledInstances: {} };

/** More would be no event any more but a flood. */
const MOST_INSTANCES = 1_000;

export function isNewer(one: Version, other: Version | undefined): boolean {
  if (other === undefined) return true;
  return one.sequence > other.sequence || (one.sequence === other.sequence && one.stamp > other.stamp);
}

/** @param inOrder it is known to be sent after what is known @returns undefined if the message changes nothing */
export function takeSeries(known: Versions, version: Version, inOrder = false): Versions | undefined {
  if (inOrder ? known.series !== undefined && isNewer(known.series, version) : !isNewer(version, known.series))
    return undefined;
  const instances = Object.fromEntries(Object.entries(known.instances).filter(([, one]) => isNewer(one, version)));
  return { ...known, series: version, instances };
}

/** @param inOrder as of `takeSeries` @returns undefined if the message changes nothing */
export function takeInstance(known: Versions, key: string, version: Version, inOrder = false): Versions | undefined {
  const before = known.instances[key];
  if (known.series !== undefined && !isNewer(version, known.series)) return undefined;
  if (inOrder ? before !== undefined && isNewer(before, version) : !isNewer(version, before)) return undefined;
  const instances = { ...known.instances, [key]: version };
  return Object.keys(instances).length > MOST_INSTANCES ? undefined : { ...known, instances };
}

/** @param key undefined: the whole event. @returns undefined if the message changes nothing */
export function takeCancellation(known: Versions, key: string | undefined, sequence: number): Versions | undefined {
  if (key === undefined)
    return known.cancelled !== undefined && known.cancelled >= sequence ? undefined : { ...known, cancelled: sequence };
  const before = known.cancelledInstances[key];
  if (before !== undefined && before >= sequence) return undefined;
  const cancelledInstances = { ...known.cancelledInstances, [key]: sequence };
  return Object.keys(cancelledInstances).length > MOST_INSTANCES ? undefined : { ...known, cancelledInstances };
}

/** Whether the series is cancelled as far as one knows. */
export function isSeriesCancelled({ series, cancelled }: Versions): boolean {
  return cancelled !== undefined && (series === undefined || cancelled >= series.sequence);
}

/** Whether an instance is cancelled, or what is known of it. */
export function isInstanceCancelled(known: Versions, key: string): boolean {
  const { series, instances, cancelled, cancelledInstances } = known;
  const own = instances[key];
  const sequence = Math.max(own?.sequence ?? -1, own === undefined ? (series?.sequence ?? -1) : -1);
  return Math.max(cancelled ?? -2, cancelledInstances[key] ?? -2) >= sequence;
}

/** What a proposal and a message that declines one say. Times are milliseconds since 1970. */
interface AboutProposal extends Version {
  /** RECURRENCE-ID of the instance; undefined: the whole event */
  readonly key: string | undefined;
}

export interface OwnProposal extends AboutProposal {
  readonly startAt: number;
  /** when the event began as it was proposed */
  readonly insteadOf: number;
}

export interface DeclinedProposal extends AboutProposal {
  /** DTSTART, which messages need not have */
  readonly startAt: number | undefined;
}

/** Whether a DECLINECOUNTER is about a proposal, and not about an earlier one that it replaced. */
export function declines(declined: DeclinedProposal, proposal: OwnProposal): boolean {
  if (declined.key !== proposal.key || declined.sequence < proposal.sequence) return false;
  if (declined.stamp < wholeSecond(proposal.stamp)) return false;
  // The event was changed since, so that it begins at another time.
  if (declined.startAt === undefined || declined.sequence > proposal.sequence) return true;
  return declined.startAt === proposal.startAt || declined.startAt === proposal.insteadOf;
}

/** Whether a COUNTER is older than what is known of the same person. */
export function isReplaced(counter: Version, known: Version & { readonly decided: boolean }): boolean {
  return known.decided ? !isNewer(counter, known) : isNewer(known, counter);
}

/** DTSTAMP has no more. */
function wholeSecond(at: number): number {
  return Math.floor(at / 1000) * 1000;
}
