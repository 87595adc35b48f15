import * as v from 'valibot';
import { operation, rawOperation } from '../operation.ts';
import { paged } from '../page.ts';
import { line, memberId, memberName, recordId, timestamp } from '../text.ts';

const root = '/filevault/audit';
const missing = ['CONTAINER_NOT_FOUND', 'MEMBER_NOT_FOUND'] as const;

const filter = {
  vaultContainerId: v.optional(recordId),
  fileId: v.optional(v.pipe(recordId, v.description('the file or folder itself, not what is below it'))),
  member: v.optional(v.pipe(memberName, v.description('who did it: id, username or verified e-mail address'))),
  action: v.optional(v.pipe(line(64), v.description('such as `FILE_DOWNLOADED`'))),
  from: v.optional(timestamp),
  to: v.optional(v.pipe(timestamp, v.description('exclusive'))),
};

const entry = v.object({
  id: recordId,
  timestamp,
  action: v.string(),
  memberId: v.nullable(v.pipe(memberId, v.description('null: somebody with a link'))),
  username: v.nullable(v.string()),
  address: v.string(),
  vaultContainerId: v.nullable(recordId),
  fileId: v.nullable(v.pipe(recordId, v.description('of the file or folder'))),
  name: v.nullable(v.pipe(v.string(), v.description('as it is called now, for those who may read it'))),
  details: v.nullable(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()]))),
  ledgerEntryId: v.pipe(recordId, v.description('the entry of the ledger that commits to this record')),
  ledgerIndex: v.pipe(v.number(), v.description('of that entry')),
});
export type AuditEntry = v.InferOutput<typeof entry>;

export const audit = {
  listAudit: operation({
    id: 'filevault.list-audit',
    method: 'GET',
    path: root,
    envelope: 'filevault',
    auth: 'member',
    summary: 'List who did what, newest first',
    description:
      'Owners see all of their containers, those who hold `admin` what is about that file or folder and below, and everybody what they did themselves.',
    ...paged({ name: 'entries', of: entry, filter, errors: [...missing, 'LEDGER_BEHIND'] }),
    status: 200,
    message: 'Audit log',
  }),
  exportAudit: rawOperation({
    id: 'filevault.export-audit',
    method: 'GET',
    path: `${root}/export`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Export who did what, oldest first',
    description:
      'What the list has for the same filters, as a stream of any length. JSON lines have the fields of the list. In CSV, text that a spreadsheet would calculate begins with an apostrophe.',
    input: v.object({ ...filter, format: v.optional(v.picklist(['jsonl', 'csv']), 'jsonl') }),
    status: 200,
    errors: [...missing, 'LEDGER_BEHIND'],
    accepts: [],
    produces: ['application/jsonl', 'text/csv'],
  }),
};
