import * as v from 'valibot';
import { hex, integer, line, memberId, paragraph, recordId, timestamp } from '../text.ts';
import { shownApprovalPolicy } from './approvals.ts';
import { filevaultLimits } from './limits.ts';

const encoder = new TextEncoder();
// Marks that turn the direction of writing: `exe.fdp` would be shown as `pdf.exe`.
const turnsDirection = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** The name of a file or folder. Composed and decomposed accents are equal. */
export const nodeName = v.pipe(
  line(filevaultLimits.nameBytes),
  v.normalize('NFC'),
  v.check((name) => !/[/\\]/.test(name), 'must not contain / or \\'),
  v.check((name) => name.trim() !== '', 'must not be blank'),
  v.check((name) => name !== '.' && name !== '..', 'must not be . or ..'),
  v.check((name) => !turnsDirection.test(name), 'must not contain marks that turn the direction of writing'),
  v.check(
    (name) => encoder.encode(name).length <= filevaultLimits.nameBytes,
    `must be at most ${filevaultLimits.nameBytes} bytes in UTF-8`,
  ),
);

export const description = paragraph(filevaultLimits.description);

/** Whole bytes, up to the largest number that is exact. */
export const byteCount = integer(1, Number.MAX_SAFE_INTEGER);

/** An ECIES message around the key of a content, hex. */
export const wrappedKey = hex(filevaultLimits.wrappedKey);

const nullableTime = v.nullable(timestamp);

export const containerState = v.picklist(['active', 'locked', 'destroyed']);

const containerFields = {
  id: recordId,
  name: v.string(),
  description: v.optional(v.string()),
  ownerId: memberId,
  state: containerState,
  rootFolderId: recordId,
  quorumGoverned: v.boolean(),
  clientEncrypted: v.pipe(v.boolean(), v.description('the node does not have its keys')),
  approvals: v.pipe(
    shownApprovalPolicy,
    v.description('how many approvals operations need; those that need none are missing'),
  ),
  usedBytes: v.number(),
  quotaBytes: v.number(),
  trashDays: v.pipe(v.number(), v.description('days after which the trash is emptied; 0: by hand alone')),
  versionPolicy: v.pipe(
    v.object({ number: v.number(), days: v.number() }),
    v.description('how many versions of a file stay, and for how many days after they were replaced; 0: all, for ever'),
  ),
  visibleWatermark: v.pipe(v.boolean(), v.description('of files that are added')),
  invisibleWatermark: v.pipe(v.boolean(), v.description('of files that are added')),
  createdAt: timestamp,
  updatedAt: timestamp,
};

export const container = v.object(containerFields);
export type Container = v.InferOutput<typeof container>;

const sealStatus = v.object({
  allPristine: v.boolean(),
  sealedCount: v.number(),
  accessedCount: v.number(),
  totalFiles: v.number(),
});

export const listedContainer = v.object({
  ...containerFields,
  fileCount: v.number(),
  folderCount: v.number(),
  sealStatus: v.pipe(sealStatus, v.description('how many files were never opened')),
});
export type ListedContainer = v.InferOutput<typeof listedContainer>;

export const folder = v.object({
  id: recordId,
  name: v.string(),
  ownerId: memberId,
  vaultContainerId: recordId,
  parentFolderId: v.nullable(recordId),
  quorumGoverned: v.boolean(),
  deletedAt: nullableTime,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Folder = v.InferOutput<typeof folder>;

const fileFields = {
  id: recordId,
  name: v.string(),
  fileName: v.string(),
  ownerId: memberId,
  folderId: recordId,
  vaultContainerId: recordId,
  currentVersionId: recordId,
  mimeType: v.string(),
  sizeBytes: v.number(),
  description: v.nullable(v.string()),
  tags: v.array(v.string()),
  deletedAt: nullableTime,
  scheduledDestructionAt: nullableTime,
  quorumGoverned: v.boolean(),
  visibleWatermark: v.boolean(),
  invisibleWatermark: v.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
  modifiedAt: timestamp,
};

/** A file as lists show it. */
export const fileItem = v.object(fileFields);
export type FileItem = v.InferOutput<typeof fileItem>;

export const fileDetail = v.object({
  ...fileFields,
  vaultCreationLedgerEntryHash: v.pipe(
    v.string(),
    v.description('leaf hash of the entry that records its first version'),
  ),
  aclId: v.pipe(recordId, v.description('the file or folder whose access control list decides for the caller')),
  createdBy: memberId,
  updatedBy: memberId,
});
export type FileDetail = v.InferOutput<typeof fileDetail>;
