const MEBIBYTE = 1024 ** 2;

/** Rate limits of the file vault; see contract/rates.ts. */
export const filevaultRates = {
  fileStoring: {
    key: 'file_storing',
    perAccount: { rate: '60000/5m', text: 'Steps of uploads of one member, and changes of files and folders' },
  },
  fileReading: {
    key: 'file_reading',
    perAccount: { rate: '60000/5m', text: 'Downloads of one member, also in ranges, and lists of folders' },
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
  /** chunks of one file */
  chunks: 10_000,
  mimeType: 255,
  query: 500,
  /** files of one request */
  batch: 1_000,
  tags: 50,
  tag: 64,
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
