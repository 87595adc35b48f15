import type { Mutant } from './mutant.ts';

const signIn = ['test/http/dav/sign-in.test.ts'];
const collections = ['test/services/calendar/dav/collections.test.ts'];
const objects = ['test/services/calendar/dav/objects.test.ts'];
const sync = ['test/services/calendar/dav/sync.test.ts'];
const queries = ['test/services/calendar/dav/queries.test.ts'];
const cards = ['test/services/contacts/cards.test.ts'];
const books = ['test/services/contacts/dav/books.test.ts'];

/** DAV, and the contacts that are behind it. */
export const davMutants: readonly Mutant[] = [
  {
    file: 'src/http/dav/sign-in.ts',
    what: 'passwords of programs over networks in clear',
    from: '  return isLoopback(peer);\n',
    to: '  return isLoopback(peer) || peer.length > 0;\n',
    tests: signIn,
  },
  {
    file: 'src/http/dav/sign-in.ts',
    what: 'spaces that an app password opens',
    from: 'all.filter((space) => actor.scopes?.has(space.scope) === true)',
    to: 'all.filter(() => actor.scopes !== undefined)',
    tests: signIn,
  },
  {
    file: 'src/http/dav/respond-multistatus.ts',
    what: 'app password that ends in the middle of a long answer',
    from: '      await assertStillSignedIn(ctx, actor);\n',
    to: '      [assertStillSignedIn, actor] satisfies unknown;\n',
    tests: signIn,
  },
  {
    file: 'src/http/dav/respond-multistatus.ts',
    what: 'share that becomes another one in the middle of a long answer',
    from: "now.kind === 'free' || accessTo(now) !== accessTo(target)",
    to: "now.kind === 'free' || [accessTo, target].length === 0",
    tests: ['test/services/calendar/dav/rights.thorough.test.ts'],
  },
  {
    file: 'src/service/dav-damaged.ts',
    what: 'resources behind one that does not open',
    from: "error.code !== 'STORE_DAMAGED'",
    to: "error.code === 'STORE_DAMAGED'",
    tests: ['test/http/dav/damaged.thorough.test.ts'],
  },
  {
    file: 'src/http/dav/targets.ts',
    what: 'homes of other members',
    from: 'space === undefined || memberId !== actor.memberId || more.length > 0',
    to: 'space === undefined || more.length > 0',
    tests: objects,
  },
  {
    file: 'src/http/dav/xml/read.ts',
    what: 'document types in XML of programs',
    from: "    throw unreadable('The XML must have no document type declaration.');\n",
    to: '',
    tests: ['test/http/dav/xml.test.ts'],
  },
  {
    file: 'src/http/dav/reports/multiget.ts',
    what: 'addresses elsewhere in a multiget',
    from: 'memberId === actor.memberId && segment === collection.segment;',
    to: 'memberId === actor.memberId && segment !== undefined && collection.segment !== undefined;',
    tests: queries,
  },
  {
    file: 'src/services/calendar/dav/collections.ts',
    what: 'collections of calendars of which one sees only when time is taken',
    from: "    .filter(({ permission }) => permission !== 'freebusy')\n",
    to: '',
    tests: collections,
  },
  {
    file: 'src/services/calendar/dav/collections.ts',
    what: 'sync-token of somebody who saw more',
    from: '    permission === calendar.permission &&\n',
    to: '    permission !== undefined &&\n',
    tests: sync,
  },
  {
    file: 'src/services/calendar/dav/collections.ts',
    what: 'sync-token from before what is forgotten',
    from: '    seq >= calendar.forgotten_seq;',
    to: '    calendar.forgotten_seq >= 0;',
    tests: sync,
  },
  {
    file: 'src/services/calendar/objects/write.ts',
    what: 'trace of an event that was deleted',
    from: "  await insertRows(tx.db, 'calendar_tombstones', [tombstone], entomb);\n",
    to: '  [tombstone, entomb] satisfies unknown;\n',
    tests: sync,
  },
  {
    file: 'src/services/calendar/objects/write.ts',
    what: 'storage that a new event takes',
    from: '    takeStorage(tx, calendar.owner_id, prepared.row.bytes),\n',
    to: '    undefined,\n',
    tests: objects,
  },
  {
    file: 'src/services/calendar/dav/write.ts',
    what: 'private events of others, which nobody changes',
    from: "  if (own.some((component) => insightOf(calendar, memberId, row, component) !== 'all'))\n",
    to: '  if (own.some((component) => insightOf(calendar, memberId, row, component) === undefined))\n',
    tests: objects,
  },
  {
    file: 'src/services/calendar/dav/write.ts',
    what: 'UID of an event, which is in a calendar once and stays',
    from: '  if (found?.row.uid_key === uid) return;\n',
    to: '  if (found?.row.uid_key !== undefined) return;\n',
    tests: objects,
  },
  {
    file: 'src/service/dav-matching.ts',
    what: 'tags of what a program has read',
    from: '(ifMatch === undefined || isAmong(ifMatch)) &&',
    to: '(ifMatch === undefined || found !== undefined) &&',
    tests: objects,
  },
  {
    file: 'src/services/calendar/events/seen-etag.ts',
    what: 'tags of events of which somebody sees less',
    from: '  if (seesAll(reader, head)) return head.etag;\n',
    to: '  if (seesAll(reader, head) || head.etag.length > 0) return head.etag;\n',
    tests: objects,
  },
  {
    file: 'src/services/contacts/access.ts',
    what: 'owner of an address book',
    from: 'where id = $1 and owner_id = $2',
    to: "where id = $1 and owner_id <> $2 || ' '",
    tests: ['test/services/contacts/books.test.ts'],
  },
  {
    file: 'src/services/contacts/cards.ts',
    what: 'version of a contact that somebody has read',
    from: '  if (tags?.includes(card.etag) === false)\n',
    to: '  if (tags?.length === 0)\n',
    tests: cards,
  },
  {
    file: 'src/services/contacts/card-rows.ts',
    what: 'storage that contacts give back',
    from: '  await freeStorage(tx, book.owner_id, card.bytes);\n',
    to: '',
    tests: cards,
  },
  {
    file: 'src/services/contacts/dav/write.ts',
    what: 'UID of a contact, which is in a book once',
    from: '  if (other === undefined || other.id === found?.id) return;\n',
    to: '  if (other === undefined || other.book_id === id) return;\n',
    tests: books,
  },
  {
    file: 'src/services/contacts/members-book.ts',
    what: 'members who are blocked, in the book of members',
    from: 'b.member_id = :me and b.blocked_id = m.id',
    to: 'b.member_id = :me and b.blocked_id = :me',
    tests: ['test/services/contacts/members-book.test.ts'],
  },
];
