import { bytesOf } from '../../../platform/store/member-storage.ts';
import type { PropertyTable } from './property-table.ts';
import { collectionPath } from '../dav-paths.ts';
import { principalPath, type Target } from '../targets.ts';
import { element, href, text } from '../xml/write.ts';

/** Properties that everything has. */
export const basicProperties: PropertyTable = {
  'd:resourcetype': (_request, target) => resourceType(target),
  'd:displayname': ({ actor }, { kind }) => (kind === 'principal' ? text(actor.username) : nameOf[kind]),
  'd:owner': ({ actor }, target) =>
    target.kind === 'root' || target.kind === 'principals'
      ? undefined
      : href(principalPath(ownerOf(actor.memberId, target))),
  'd:current-user-principal': ({ actor }) => href(principalPath(actor.memberId)),
  'd:principal-collection-set': () => href(collectionPath('principals')),
  'd:current-user-privilege-set': (_request, target) => privileges(target),
  'd:supported-report-set': (_request, target) =>
    reportsOf(target)
      .map((name) => element('d:supported-report', element('d:report', element(name))))
      .join(''),
  'd:quota-used-bytes': async ({ ctx, actor }) => String(await bytesOf(ctx.db, actor.memberId)),
  'd:quota-available-bytes': async ({ ctx, actor }) => {
    const left = ctx.config.storage.perMemberBytes - (await bytesOf(ctx.db, actor.memberId));
    return String(Math.max(0, left));
  },
};

const nameOf: Readonly<Record<Target['kind'], string | undefined>> = {
  root: undefined,
  principals: undefined,
  principal: undefined,
  home: undefined,
  inbox: 'Inbox',
  outbox: 'Outbox',
  collection: undefined,
  resource: undefined,
  free: undefined,
};

function resourceType(target: Target): string {
  const collection = element('d:collection');
  switch (target.kind) {
    case 'resource':
      return '';
    case 'principal':
      return collection + element('d:principal');
    case 'inbox':
    case 'outbox':
      return collection + element(`c:schedule-${target.kind}`);
    case 'collection':
      return collection + element(target.space.kind === 'calendar' ? 'c:calendar' : 'card:addressbook');
    default:
      return collection;
  }
}

function ownerOf(memberId: string, target: Target): string {
  return target.kind === 'collection' || target.kind === 'resource' ? target.collection.ownerId : memberId;
}

const reading = ['d:read', 'd:read-current-user-privilege-set'];

function privileges(target: Target): string {
  return privilegesOf(target)
    .map((name) => element('d:privilege', element(name)))
    .join('');
}

function privilegesOf(target: Target): readonly string[] {
  if (target.kind === 'home') return [...reading, 'd:bind', 'd:unbind'];
  if (target.kind === 'outbox') return [...reading, 'c:schedule-send', 'c:schedule-send-freebusy'];
  if (target.kind === 'inbox') return [...reading, 'c:schedule-deliver'];
  if (target.kind !== 'collection' && target.kind !== 'resource') return reading;
  const own = target.space.kind === 'calendar' ? [...reading, 'c:read-free-busy'] : reading;
  const { access, followed = false } = target.collection;
  if (access === 'read') return own;
  if (followed) return access === 'write' ? own : [...own, 'd:write-properties'];
  const writing = [...own, 'd:write-content', 'd:bind', 'd:unbind'];
  return access === 'write' ? writing : [...writing, 'd:write', 'd:write-properties'];
}

/** Programs look into the inbox as into a calendar. */
const ofInbox = ['d:sync-collection', 'c:calendar-query', 'c:calendar-multiget'];

/** The reports that a target answers (RFC 3253 3.1.5). */
export function reportsOf(target: Target): readonly string[] {
  const everywhere = ['d:expand-property', 'd:principal-property-search', 'd:principal-search-property-set'];
  if (target.kind === 'inbox') return [...everywhere, ...ofInbox];
  if (target.kind !== 'collection') return everywhere;
  const own =
    target.space.kind === 'calendar'
      ? ['c:calendar-query', 'c:calendar-multiget', 'c:free-busy-query']
      : ['card:addressbook-query', 'card:addressbook-multiget'];
  return [...everywhere, 'd:sync-collection', ...own];
}
