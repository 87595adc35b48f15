const MEBIBYTE = 1024 ** 2;

/** Rate limits of the file vault; see contract/rates.ts. */
export const filevaultRates = {
  fileStoring: {
    key: 'file_storing',
    perAccount: {
      rate: '60000/5m',
      text: 'Steps of uploads of one member, changes of files and folders, and checks',
    },
  },
  fileReading: {
    key: 'file_reading',
    perAccount: { rate: '60000/5m', text: 'Downloads of one member, also in ranges, and lists of folders' },
  },
  shareLink: {
    key: 'share_link',
    perAccount: { rate: '10/15m', text: 'Wrong passwords for one link to a file' },
    perAddress: { rate: '10/15m', text: 'Wrong passwords for links to files from one address' },
  },
} as const;

/** Limits of the file vault. Lengths are in characters unless they say otherwise. */
export const filevaultLimits = {
  containerName: 200,
  description: 2_000,
  /** bytes of the name of a file or folder, in UTF-8 */
  nameBytes: 255,
  /** folders below each other */
  depth: 128,
  aclEntries: 500,
  /** entries for one member in one list: each is weighed at each request of the member */
  entriesOfMember: 10,
  permissionSetName: 100,
  permissionSets: 200,
  /** networks in the condition of one entry */
  cidrs: 50,
  /** characters of a path of folders */
  path: 8_192,
  page: 500,
  /** the smallest size of chunks, in bytes of the file */
  chunkBytes: 8 * MEBIBYTE,
  /** the largest size of chunks */
  longestChunk: 128 * MEBIBYTE,
  /** such a chunk encrypted: each 16 KiB get 16 bytes longer, and the header has 56 */
  longestBlock: 129 * MEBIBYTE,
  /** wraps of keys of one request */
  wraps: 1_000,
  /** chunks of one file */
  chunks: 10_000,
  mimeType: 255,
  query: 500,
  /** files of one request */
  batch: 1_000,
  tags: 50,
  tag: 64,
  /** members with whom one file is shared */
  sharesOfFile: 200,
  /** links to one file that are not revoked */
  linksOfFile: 100,
  linkPassword: 256,
  /** bytes of an ECIES message around a key */
  wrappedKey: 100,
  /** contents of one file whose keys a client brings */
  wrappedKeys: 1_000,
  /** bytes of the content that a link answers in its JSON */
  inlineContent: 8 * MEBIBYTE,
  /** requests for approval of one member in one container that are not decided: each is told to all who may decide */
  openApprovals: 100,
  /** approvals that one operation can need */
  approvals: 20,
  reason: 1_000,
  canaries: 50,
  canaryName: 100,
  canaryActions: 20,
  /** files and members that one action of a canary names */
  canaryTargets: 100,
  canaryMessage: 500,
  canaryHours: 8_760,
  /** days that an owner can choose for trash and versions */
  keepDays: 36_500,
  keepVersions: 1_000_000,
  /** of a text or image whose watermark is read: the pixels of a marked image are 128 MiB at most, and noise takes as much when it is packed */
  watermarkBytes: 136 * MEBIBYTE,
} as const;

/** What a member may do with a file or folder. */
export const permissionFlags = [
  'read',
  'write',
  'delete',
  'share',
  'admin',
  'preview',
  'comment',
  'download',
  'manage_versions',
] as const;
export type PermissionFlag = (typeof permissionFlags)[number];

/** The built-in levels, from the least to the most. */
export const permissionLevels = ['viewer', 'commenter', 'editor', 'owner'] as const;
export type PermissionLevel = (typeof permissionLevels)[number];

export const flagsOfLevel: Readonly<Record<PermissionLevel, readonly PermissionFlag[]>> = {
  viewer: ['read', 'preview', 'download'],
  commenter: ['read', 'preview', 'download', 'comment'],
  editor: ['read', 'write', 'preview', 'download', 'comment', 'manage_versions'],
  owner: permissionFlags,
};

/** How the content of a link travels. */
export const linkModes = ['server_proxied', 'ephemeral_key_pair', 'recipient_public_key'] as const;
export type LinkMode = (typeof linkModes)[number];
