import type { CalendarSpace, DavCollection } from '../../../service/ports/dav.ts';
import type { DavRequest } from '../request.ts';
import type { CollectionTarget } from '../targets.ts';
import { element, text } from '../xml/write.ts';
import type { PropertyTable, PropertyValue } from './property-table.ts';

function written(value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : text(String(value));
}

type OfCalendar = (request: DavRequest, space: CalendarSpace, collection: DavCollection) => PropertyValue;

/** A property that only calendars have. */
function ofCalendar(value: OfCalendar): PropertyTable<CollectionTarget>[string] {
  return (request, { space, collection }) =>
    space.kind === 'calendar' ? value(request, space, collection) : undefined;
}

/** A property that only address books have. */
function ofBook(value: (target: CollectionTarget) => string): PropertyTable<CollectionTarget>[string] {
  return (_request, target) => (target.space.kind === 'addressbook' ? value(target) : undefined);
}

const dataType = (name: string, type: string, version: string): string =>
  element(name, '', { 'content-type': type, version });

/** Properties of a calendar or an address book (RFC 4791 5.2, RFC 6352 6.2, RFC 6578 3.4). */
export const collectionProperties: PropertyTable<CollectionTarget> = {
  'd:displayname': (_request, { collection }) => text(collection.displayName),
  'd:creationdate': (_request, { collection: { createdAt } }) =>
    createdAt === undefined ? undefined : new Date(createdAt).toISOString(),
  'd:sync-token': (_request, { collection }) => text(collection.syncToken),
  'cs:getctag': (_request, { collection }) => text(collection.ctag),
  'a:calendar-color': (_request, { collection: { color } }) => written(color && `${color}FF`),
  'a:calendar-order': (_request, { collection: { order } }) => written(order),
  'c:calendar-description': ofCalendar((_request, _space, { description }) => text(description)),
  'c:calendar-timezone': ofCalendar(({ ctx }, space, collection) => text(space.timezoneText(ctx, collection))),
  'c:calendar-timezone-id': ofCalendar((_request, _space, { timezone }) => written(timezone)),
  'c:supported-calendar-component-set': ofCalendar((_request, _space, { components = [] }) =>
    components.map((name) => element('c:comp', '', { name })).join(''),
  ),
  'c:supported-calendar-data': ofCalendar(() => dataType('c:calendar-data', 'text/calendar', '2.0')),
  'c:supported-collation-set': ofCalendar(() => collations('c')),
  'c:max-resource-size': ofCalendar((_request, { mostBytes }) => String(mostBytes)),
  'c:max-attendees-per-instance': ofCalendar((_request, { mostAttendees }) => String(mostAttendees)),
  'c:schedule-calendar-transp': ofCalendar(() => element('c:opaque')),
  'card:addressbook-description': ofBook(({ collection }) => text(collection.description)),
  'card:supported-address-data': ofBook(() =>
    ['3.0', '4.0'].map((version) => dataType('card:address-data-type', 'text/vcard', version)).join(''),
  ),
  'card:supported-collation-set': ofBook(() => collations('card')),
  'card:max-resource-size': ofBook(({ space }) => String(space.mostBytes)),
};

function collations(prefix: 'c' | 'card'): string {
  return ['i;ascii-casemap', 'i;octet', 'i;unicode-casemap']
    .map((name) => element(`${prefix}:supported-collation`, text(name)))
    .join('');
}
