/** Rooms of one height. They don't import each other, but for the edges below. */
interface Floor {
  /** folders of src without their inner rooms, or of the project; `services/*`: each folder there is a room */
  readonly rooms: readonly string[];
  /**
   * What they may import of the floors below, where that is not everything: rooms, or single files without their ending. `x?` allows types
   * alone, `x()` types and import().
   */
  readonly sees?: readonly string[];
}

/** What functions of services stand on; of the contract, they name the types. */
const ground = ['base', 'config?', 'contract?', 'crypto', 'crypto/formats', 'platform/store'];
const platform = [...ground, 'service', 'platform/outbound', 'platform/realtime', 'platform/workers'];
const shared = ['attachments', 'content-keys', 'dav', 'group-keys', 'groups', 'members', 'notifications'].map(
  (room) => `shared/${room}`,
);

/** Whoever stands on a floor may import from the floors below it: from the ground up. */
export const floors: readonly Floor[] = [
  { rooms: ['contract'] },
  { rooms: ['base'] },
  { rooms: ['crypto'], sees: ['base/parsed-url', 'base/whole-number'] },
  // What clients and nodes verify alike
  { rooms: ['crypto/formats'] },
  // What browsers get: it may have what needs no Node.
  { rooms: ['http/pages/share-page'], sees: ['base/whole-number'] },
  { rooms: ['config'] },
  { rooms: ['platform/store'], sees: ['base', 'contract?', 'crypto', 'crypto/formats'] },
  // What a function of a service is given and may name
  { rooms: ['service'], sees: ground },
  {
    rooms: ['platform/ledger', 'platform/network', 'platform/outbound', 'platform/realtime', 'platform/workers'],
    sees: [...ground, 'contract/realtime/frames', 'service'],
  },
  { rooms: ['shared/members'], sees: platform },
  {
    rooms: [
      'shared/attachments',
      'shared/content-keys',
      'shared/dav',
      'shared/group-keys',
      'shared/groups',
      'shared/notifications',
    ],
    sees: [...platform, 'shared/members'],
  },
  // Conversations of every service stand on the other rooms.
  { rooms: ['shared/conversations'], sees: [...platform, ...shared] },
  // Who is there is told to those with whom somebody is in a conversation.
  { rooms: ['shared/presence'], sees: [...platform, ...shared, 'shared/conversations'] },
  {
    rooms: ['services/*'],
    sees: [...platform, ...shared, 'shared/conversations', 'shared/presence', 'platform/ledger'],
  },
  // It shows and saves the node itself: its place, its secret.
  { rooms: ['services/node'], sees: [...platform, ...shared, 'platform/ledger', 'config', 'contract'] },
  // It knows no service.
  {
    rooms: ['http'],
    sees: [
      'base',
      'config?',
      'contract',
      'crypto',
      'platform/realtime?',
      'platform/store',
      'platform/workers',
      'service',
      'shared/members',
    ],
  },
  // Submission of e-mail: the same limits as HTTP, and what a service provides
  { rooms: ['http/smtp'], sees: ['base', 'contract', 'http', 'service', 'shared/members'] },
  { rooms: ['node'] },
  {
    rooms: ['node/listeners'],
    sees: [
      'base',
      'config',
      'contract',
      'http',
      'http/smtp',
      'node',
      'platform/ledger',
      'platform/network',
      'platform/outbound',
      'platform/realtime',
      'platform/store',
      'platform/workers',
      'service?',
      'shared/attachments',
      'shared/group-keys',
    ],
  },
  // In local mode it opens the engine, and copies, restores and migrates a store that no engine may have open.
  {
    rooms: ['client'],
    sees: ['base', 'config', 'contract', 'crypto', 'crypto/formats', 'node()', 'platform/store?', 'services/node()'],
  },
  // What anybody can check of a ledger needs nothing but its bytes.
  { rooms: ['cli'], sees: ['base', 'client', 'config', 'contract', 'crypto/formats()', 'services/node?'] },
  {
    rooms: ['commands'],
    sees: ['base', 'cli', 'client', 'config()', 'contract', 'node()', 'node/listeners()'],
  },
  { rooms: ['bin'], sees: ['cli', 'dist'] },
];

/** Imports of rooms on higher floors, each with its reason; six at most. */
export const upward: Readonly<Record<string, { readonly to: string; readonly why: string }>> = {};

/** Single files that see more than their room does, or another room of their floor, each for the reason beside it. */
export const namedEdges: Readonly<Record<string, readonly string[]>> = {
  // The number of the version has one place.
  'src/base/version.ts': ['package.json'],
  // Whoever can read the node secret may mint a token of the operator without opening the store.
  'src/client/operator-token.ts': ['src/shared/members/tokens.ts'],
  // A password is made where it is used; the generator is as pure as what crypto holds.
  'src/client/generate-password.ts': ['src/services/passvault/tools/generator.ts'],
  // The payload of a proposal has a schema for each action, which is read when it is made and again when it is carried out.
  'src/services/quorum/proposals/payloads.ts': ['src/contract/quorum/actions.ts'],
  // The quorum decides on the admission of a node, and the pool carries it out.
  'src/services/quorum/proposals/actions/services.ts': ['src/services/pool/joining/governed.ts'],
  // The access list of the pool says which node serves a mail domain.
  'src/services/mail/network/routes.ts': ['src/services/pool/joining/admission-policy.ts'],
  // Guests hear of their appointments by e-mail, and whether mail reaches somebody is said when they book or are invited.
  'src/services/calendar/booking/guest-mail.ts': ['src/services/mail/sending/calendar-mail.ts'],
  'src/services/calendar/booking/book.ts': ['src/services/mail/sending/calendar-mail.ts'],
  'src/services/calendar/invitations/routes.ts': ['src/services/mail/sending/calendar-mail.ts'],
  // The quorum decides on the destruction of what it governs, and the file vault carries it out.
  'src/services/filevault/destruction/destroy.ts': ['src/services/quorum/approvals.ts'],
  'src/services/filevault/destruction/containers.ts': ['src/services/quorum/approvals.ts'],
  'src/services/filevault/destruction/schedule.ts': ['src/services/quorum/approvals.ts'],
  // What a content is, the same first bytes say here.
  'src/cli/kit/preview/content.ts': [
    'src/shared/attachments/content-type.ts',
    'src/shared/attachments/images/image-type.ts',
  ],
  // A Maildir, a folder of files and an export are locked as a store is: the lock goes with its process.
  'src/cli/kit/lock-folder.ts': ['src/platform/store/lock.ts'],
  // The numbers and names of a format are the same in a browser.
  'src/http/pages/share-page/link-api.ts': ['src/contract/filevault/share-password.ts'],
  'src/http/pages/share-page/chunked.ts': ['src/crypto/formats/file-content/chunk-format.ts'],
  'src/http/pages/share-page/opening.ts': [
    'src/crypto/formats/file-content/chunk-format.ts',
    'src/crypto/formats/file-content/content-format.ts',
  ],
  'src/http/pages/share-page/plaintext.ts': [
    'src/crypto/formats/file-content/chunk-format.ts',
    'src/crypto/formats/file-content/content-format.ts',
  ],
};

/** Rooms that lie in another one. */
const innerRooms = ['crypto/formats', 'http/pages/share-page', 'http/smtp', 'node/listeners'];

/** Folders of src that only group: each folder in them is a room. */
const groupings = new Set(['platform', 'services', 'shared']);

/** @param path from the project's folder */
export function roomOf(path: string): string {
  const [top = '', next = '', inner = ''] = path.split('/');
  if (top !== 'src') return top;
  const within = innerRooms.find((room) => path.startsWith(`src/${room}/`));
  return within ?? (groupings.has(next) ? `${next}/${inner}` : next);
}

/** @returns undefined for a room that has no floor: nothing may be imported from it, and it may import nothing */
export function floorOf(room: string): number | undefined {
  const height = floors.findIndex(
    ({ rooms }) =>
      rooms.includes(room) ||
      (room !== 'services/node' && room.startsWith('services/') && rooms.includes('services/*')),
  );
  return height < 0 ? undefined : height;
}
