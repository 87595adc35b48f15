import type { AnySpace } from '../../../service/ports/dav.ts';
import { mailDomain } from '../../../shared/members/mail-domain.ts';
import { collectionPath } from '../dav-paths.ts';
import type { DavRequest } from '../request.ts';
import { addressOf, principalPath, type Target } from '../targets.ts';
import { element, href, text, textElement } from '../xml/write.ts';
import type { PropertyTable } from './property-table.ts';

/** Homes are there for an app password that opens them. */
function homeOf({ actor, spaces }: DavRequest, kind: AnySpace['kind'], segment = ''): string | undefined {
  const space = spaces.find((one) => one.kind === kind);
  if (space === undefined) return undefined;
  const inner = segment === '' ? [] : [segment];
  return href(collectionPath(space.root, actor.memberId, ...inner));
}

/** The address of the member in the mail of this node; undefined if the node has no mail domain. */
export function mailAddressOf({ ctx, actor }: Pick<DavRequest, 'ctx' | 'actor'>): string | undefined {
  const domain = mailDomain(ctx);
  return domain === '' ? undefined : `${actor.username}@${domain}`;
}

const home: PropertyTable = {
  'c:calendar-home-set': (request) => homeOf(request, 'calendar'),
  'card:addressbook-home-set': (request) => homeOf(request, 'addressbook'),
};

const schedule: PropertyTable = {
  'c:schedule-inbox-URL': (request) => homeOf(request, 'calendar', 'inbox'),
  'c:schedule-outbox-URL': (request) => homeOf(request, 'calendar', 'outbox'),
  'c:calendar-user-address-set': (request) => {
    const mail = mailAddressOf(request);
    return `${mail === undefined ? '' : href(`mailto:${mail}`)}${href(principalPath(request.actor.memberId))}`;
  },
};

/** Properties of the member who asks (RFC 3744 4, RFC 4791 6.2.1, RFC 6352 7.1.1, RFC 6638 2.4). */
export const principalProperties: PropertyTable = {
  ...home,
  ...schedule,
  'c:calendar-user-type': () => 'INDIVIDUAL',
  'cs:email-address-set': (request) => {
    const mail = mailAddressOf(request);
    return mail === undefined ? undefined : textElement('cs:email-address', mail);
  },
  'd:principal-URL': ({ actor }) => href(principalPath(actor.memberId)),
  'd:alternate-URI-set': () => '',
  'd:group-member-set': () => '',
  'd:group-membership': () => '',
};

export const homeProperties: PropertyTable = home;

/** The calendar that invitations and bookings come into (RFC 6638 9.2). */
async function defaultCalendarOf(request: DavRequest, target: Target): Promise<string | undefined> {
  if (target.kind !== 'inbox') return undefined;
  const { space } = target;
  const all = await space.collections(request.ctx, request.actor);
  const found = all.find(({ isDefault = false }) => isDefault);
  return found && href(addressOf(request, { kind: 'collection', space, collection: found }));
}

export const schedulingProperties: PropertyTable = {
  ...home,
  ...schedule,
  'c:schedule-default-calendar-URL': defaultCalendarOf,
  // Nothing ever comes into the inbox: what it would have is in the calendars.
  'cs:getctag': (_request, { kind }) => (kind === 'inbox' ? text('empty') : undefined),
  'c:supported-calendar-component-set': () => element('c:comp', '', { name: 'VEVENT' }),
};
