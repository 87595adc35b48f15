import type { Attendee } from '../../../../contract/calendar/event.ts';
import { attendeeRoles, partstats } from '../../../../contract/calendar/limits.ts';
import { paramOf, propertiesOf, propertyOf, textOf, type JcalComponent, type JcalProperty } from '../jcal.ts';
import { isTime, timeFromText } from '../text/times.ts';

/** Members who have no address are named by their id. */
const memberPrefix = 'urn:conclave:member:';

export interface Person {
  readonly userId?: string;
  readonly email?: string;
  readonly displayName?: string;
}

/** The parameter that has the id of a member of this node. It never leaves the node, and what comes from elsewhere has none. */
export const memberParam = 'x-conclave-member';

/** The parameter that says why nobody could be told, or that mail goes over the relay. */
export const deliveryParam = 'x-conclave-delivery';

/** Whom a calendar address means. Apple writes an id as the value, and the address beside it. */
export function personOf(property: JcalProperty): Person {
  const name = paramOf(property, 'cn')?.trim() ?? '';
  const userId = paramOf(property, memberParam);
  return {
    ...addressOf(textOf(property), paramOf(property, 'email')),
    ...(userId !== undefined && { userId }),
    ...(name !== '' && { displayName: name }),
  };
}

function addressOf(uri: string, beside: string | undefined): Person {
  const email = mailOf(uri) ?? (beside === undefined ? undefined : (mailOf(beside) ?? beside));
  if (email !== undefined && email !== '') return { email };
  return uri.startsWith(memberPrefix) ? { userId: uri.slice(memberPrefix.length) } : {};
}

/** The address of `mailto:`, in whatever case; some write it without. */
function mailOf(uri: string): string | undefined {
  const address =
    /^mailto:(.*)$/i.exec(uri.trim())?.[1] ?? (/^[^\s:/@]+@[^\s:/@]+$/.test(uri.trim()) ? uri.trim() : undefined);
  if (address === undefined) return undefined;
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** What stands as the value of ATTENDEE and ORGANIZER. */
export function uriOf({ userId, email }: Person): string {
  return email === undefined ? `${memberPrefix}${userId ?? ''}` : `mailto:${email}`;
}

/** The same for one person in all spellings. */
export function keyOf(person: Person): string {
  return uriOf(person).toLowerCase();
}

export function organizerOf(component: JcalComponent): Person | undefined {
  const property = propertyOf(component, 'organizer');
  return property === undefined ? undefined : personOf(property);
}

export function attendeesOf(component: JcalComponent): Attendee[] {
  return propertiesOf(component, 'attendee').map(attendeeOf);
}

function attendeeOf(property: JcalProperty): Attendee {
  const upper = (name: string): string => (paramOf(property, name) ?? '').toUpperCase();
  const cutype = upper('cutype');
  const [delegatedTo, delegatedFrom] = ['delegated-to', 'delegated-from'].map((name) => {
    const uri = paramOf(property, name);
    return uri === undefined ? undefined : (mailOf(uri) ?? uri);
  });
  const comment = paramOf(property, 'x-response-comment') ?? '';
  const delivery = (['RELAY', 'NO_ROUTE'] as const).find((one) => one === paramOf(property, deliveryParam));
  const responded = timeFromText(paramOf(property, 'x-calendarserver-dtstamp') ?? '');
  return {
    ...personOf(property),
    // Who isn't known to be anything else is asked to come (RFC 5545 3.2.16, 3.2.12).
    role: attendeeRoles.find((role) => role === upper('role')) ?? 'REQ-PARTICIPANT',
    partstat: partstats.find((partstat) => partstat === upper('partstat')) ?? 'NEEDS-ACTION',
    rsvp: upper('rsvp') === 'TRUE',
    ...(cutype !== '' && { cutype }),
    ...(delegatedTo !== undefined && { delegatedTo }),
    ...(delegatedFrom !== undefined && { delegatedFrom }),
    ...(comment !== '' && { comment }),
    ...(delivery !== undefined && { delivery }),
    ...(isTime(responded) && responded.endsWith('Z') && { respondedAt: responded }),
  };
}
