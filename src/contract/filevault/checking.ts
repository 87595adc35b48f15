import * as v from 'valibot';
import { operation } from '../operation.ts';
import { recordId } from '../text.ts';

const operator = { all: ['admin', 'system'] } as const;

const step = v.pipe(
  v.string('must be text'),
  v.regex(/^(?:[0-9a-f]{32}(?:\.\d{1,6})?|[0-9a-f]{128})$/, 'must be `next` of the answer before'),
  v.description('`next` of the answer before; without it, the check begins'),
);
const level = v.optional(
  v.pipe(
    v.picklist(['quick', 'full']),
    v.description('quick: keys, lists and the presence of blocks; full: every byte, too'),
  ),
  'quick',
);

/** What is wrong with a file, or with the numbers of a container. */
const fault = v.object({
  kind: v.picklist(['content', 'block', 'version', 'count', 'orphan', 'expired']),
  containerId: v.nullable(recordId),
  fileId: v.nullable(recordId),
  contentId: v.nullable(recordId),
  detail: v.string(),
});
export type Fault = v.InferOutput<typeof fault>;

const checked = v.object({
  checked: v.pipe(v.number(), v.description('contents of versions and uploads, checked to their end by this request')),
  bytes: v.pipe(v.number(), v.description('read by this request')),
  total: v.pipe(v.number(), v.description('contents that there are to check')),
  totalBytes: v.number(),
  faults: v.array(fault),
  next: v.pipe(v.nullable(v.string()), v.description('for `after` of the next request; null: everything was checked')),
});
export type Checked = v.InferOutput<typeof checked>;

const text =
  'A request checks a part that takes about a second: ask again with `after` until `next` is null. Nothing is changed. Damage goes to the audit log.';

export const checking = {
  checkContainer: operation({
    id: 'filevault.check-container',
    method: 'POST',
    path: '/filevault/vaults/:id/check',
    envelope: 'filevault',
    auth: 'member',
    summary: 'Check that everything in a container is whole',
    description: `For its owner. With \`fileId\` or \`folderId\`, it checks that alone. ${text}`,
    input: v.object({
      id: recordId,
      level,
      fileId: v.optional(recordId),
      folderId: v.optional(recordId),
      after: v.optional(step),
    }),
    reply: checked,
    status: 200,
    message: 'Checked',
    errors: ['CONTAINER_NOT_FOUND', 'CONTAINER_DESTROYED', 'ERASURE_KEYS_MISSING', 'ERASURE_KEYS_STALE'],
    limit: { name: 'fileStoring' },
    scope: 'files',
  }),
  checkFiles: operation({
    id: 'filevault.check-all',
    method: 'POST',
    path: '/api/admin/files/check',
    envelope: 'account',
    auth: operator,
    summary: 'Check the files of all members',
    description: `With \`containerId\`, those of one container. ${text}`,
    input: v.object({ level, containerId: v.optional(recordId), after: v.optional(step) }),
    reply: checked,
    status: 200,
    message: 'Checked',
    errors: ['ERASURE_KEYS_MISSING', 'ERASURE_KEYS_STALE'],
    limit: { name: 'fileStoring' },
  }),
  collectFiles: operation({
    id: 'filevault.collect-garbage',
    method: 'POST',
    path: '/api/admin/files/gc',
    envelope: 'account',
    auth: operator,
    summary: 'Drop what no file refers to',
    description:
      'Uploads that have expired, contents without a version, and blocks without a row. Blocks that are younger than two hours stay, because a request may be about to refer to them. Ask again with `after` until `next` is null.',
    input: v.object({
      dryRun: v.optional(v.boolean(), false),
      after: v.optional(
        v.pipe(v.string('must be text'), v.regex(/^[0-9a-f]{128}$/, 'must be `next` of the answer before')),
      ),
    }),
    reply: v.object({
      uploads: v.number(),
      orphans: v.pipe(v.number(), v.description('contents that belong to no version and no upload')),
      blocks: v.number(),
      bytes: v.pipe(v.number(), v.description('on the disk, of those blocks and contents')),
      next: v.nullable(v.string()),
    }),
    status: 200,
    message: 'Collected',
    errors: ['ERASURE_KEYS_MISSING', 'ERASURE_KEYS_STALE'],
    limit: { name: 'fileStoring' },
  }),
};
