import * as v from 'valibot';
import { pagedOrWhole } from '../page.ts';
import { givenName, integer, line, timestamp, verbatim } from '../text.ts';
import { operation } from '../operation.ts';
import {
  attachment,
  attachmentId,
  entry,
  entryChanges,
  entryId,
  entryType,
  newEntry,
  propertyRecord,
  vaultId,
  vaultSummary,
  tags,
} from './entry.ts';
import { passvaultLimits } from './limits.ts';

const root = '/api/passvault/vaults/:vaultId';
const one = `${root}/entries/:entryId`;
const closed = ['VAULT_NOT_FOUND', 'VAULT_LOCKED'] as const;
const etag = (version: number) => ({ etag: `"${version}"` });

/** The version of the entry on which a change is based. */
const onVersion = v.optional(
  v.pipe(
    integer(1, Number.MAX_SAFE_INTEGER),
    v.description(
      'version that the entry must have, or the change is refused; the header If-Match means the same, and must agree',
    ),
  ),
);

const entityTag = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/;
const entityTags = new RegExp(`^\\s*(?:\\*|${entityTag.source}(?:\\s*,\\s*${entityTag.source})*)\\s*$`);

/**
 * `If-Match` (RFC 9110 13.1.1): the versions in its strong tags. A weak tag, or a tag in another form, matches no version. `*` requires
 * only that the entry exists.
 */
const ifMatch = v.optional(
  v.pipe(
    v.string(),
    v.maxLength(1_000),
    v.regex(entityTags, 'must be * or entity tags such as "3"'),
    v.description('refuses with `ENTRY_CHANGED` unless the entry has one of these versions; weak tags never match'),
    v.metadata({ header: 'If-Match' }),
    v.transform((text): readonly number[] | undefined =>
      text.trim() === '*'
        ? undefined
        : [...text.matchAll(new RegExp(entityTag, 'g'))].flatMap(([, weak, tag = '']) =>
            weak === undefined && /^[1-9]\d{0,14}$/.test(tag) ? Number(tag) : [],
          ),
    ),
  ),
);

const MEBIBYTE = 1024 ** 2;

/** Base 64 needs 4 bytes for 3 bytes, and the envelope needs some more. */
export function bodyBytesOf(decoded: number): number {
  return Math.ceil(decoded / 3) * 4 + 16 * 1024;
}

export const entries = {
  listEntries: operation({
    id: 'passvault.list-entries',
    method: 'GET',
    path: `${root}/entries`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'List the entries of an open vault, without their secrets',
    description: 'Titles, addresses, user names, tags, and everything else that is not secret.',
    ...pagedOrWhole({ name: 'entries', of: propertyRecord, filter: { vaultId }, errors: closed }),
    status: 200,
    message: 'Entries',
  }),
  createEntry: operation({
    id: 'passvault.create-entry',
    method: 'POST',
    path: `${root}/entries`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Add an entry',
    description: 'The type says which fields people fill in. Fields of other types are stored as well.',
    input: v.object({ vaultId, ...newEntry }),
    reply: v.object({
      entry: v.object({
        id: entryId,
        type: entryType,
        title: v.string(),
        createdAt: timestamp,
        updatedAt: timestamp,
        version: v.number(),
      }),
    }),
    status: 200,
    message: 'Entry created',
    creates: true,
    errors: closed,
    maxBody: 4 * MEBIBYTE,
  }),
  showEntry: operation({
    id: 'passvault.show-entry',
    method: 'GET',
    path: one,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Read an entry with its secrets; the audit log records who read it',
    description: 'With the names of attachments, and with earlier passwords.',
    input: v.object({ vaultId, entryId }),
    reply: v.object({ entry }),
    status: 200,
    message: 'Entry',
    secretReply: true,
    errors: [...closed, 'ENTRY_NOT_FOUND'],
    headers: (reply) => etag(reply.entry.version),
  }),
  showNamedEntry: operation({
    id: 'passvault.show-named-entry',
    method: 'POST',
    path: '/api/passvault/entries/by-name',
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Read the one entry that a name means; the audit log records who read it',
    description:
      'A vault is found by its name (`owner:name` if somebody else shares it) or the first 8 digits of its id, an entry by its title, the first 8 digits of its id, or the host of its address. Case counts only where titles differ in nothing else.',
    input: v.object({
      vault: v.optional(v.pipe(verbatim(passvaultLimits.query), v.description('if left out, all open vaults'))),
      entry: verbatim(passvaultLimits.title),
    }),
    reply: v.object({ vault: vaultSummary, entry }),
    status: 200,
    message: 'Entry',
    secretReply: true,
    errors: [...closed, 'ENTRY_NOT_FOUND', 'NAME_AMBIGUOUS'],
    headers: (reply) => etag(reply.entry.version),
    limit: { name: 'read' },
  }),
  updateEntry: operation({
    id: 'passvault.update-entry',
    method: 'PUT',
    path: one,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Change an entry; omitted fields stay, and the history keeps a replaced password',
    description: 'The change is refused if the entry does not have the given version.',
    input: v.object({ vaultId, entryId, ...entryChanges, version: onVersion, ifMatch }),
    reply: v.object({
      entry: v.object({
        id: entryId,
        type: entryType,
        title: v.string(),
        updatedAt: timestamp,
        version: v.number(),
      }),
    }),
    status: 200,
    message: 'Entry updated',
    errors: [...closed, 'ENTRY_NOT_FOUND', 'ENTRY_CHANGED'],
    headers: (reply) => etag(reply.entry.version),
    maxBody: 4 * MEBIBYTE,
  }),
  deleteEntry: operation({
    id: 'passvault.delete-entry',
    method: 'DELETE',
    path: one,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Delete an entry with its attachments',
    description: 'There is no recycle bin.',
    input: v.object({ vaultId, entryId, ifMatch }),
    reply: v.object({ deleted: v.literal(true) }),
    status: 200,
    message: 'Entry deleted',
    errors: [...closed, 'ENTRY_NOT_FOUND', 'ENTRY_CHANGED'],
  }),
  search: operation({
    id: 'passvault.search',
    method: 'POST',
    path: `${root}/search`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Search entries by the fields that lists show; all criteria must match',
    description: 'Secrets are not searched, so the audit log has no record of a search.',
    ...pagedOrWhole({
      name: 'results',
      of: v.object({
        id: entryId,
        type: entryType,
        title: v.string(),
        tags: v.array(v.string()),
        favorite: v.boolean(),
        siteUrl: v.string(),
        username: v.string(),
      }),
      filter: {
        vaultId,
        query: v.optional(
          v.pipe(
            verbatim(passvaultLimits.query),
            v.description('part of the title, user name, address or a tag, in any case'),
          ),
        ),
        type: v.optional(entryType),
        tags: v.optional(tags),
        favorite: v.optional(v.boolean('must be true or false')),
      },
      errors: closed,
    }),
    status: 200,
    message: 'Results',
    limit: { name: 'read' },
  }),
  autofill: operation({
    id: 'passvault.autofill',
    method: 'POST',
    path: `${root}/autofill`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Find logins for a web page, best match first; the audit log records each as read',
    description: 'Each login says how its addresses are compared with the page.',
    input: v.object({ vaultId, siteUrl: line(passvaultLimits.url) }),
    reply: v.object({
      vaultId,
      entries: v.array(
        v.object({
          entryId,
          title: v.string(),
          username: v.string(),
          password: v.string(),
          siteUrl: v.string(),
          totpCode: v.pipe(v.nullable(v.string()), v.description('null if no secret is set')),
        }),
      ),
    }),
    status: 200,
    message: 'Logins',
    secretReply: true,
    errors: closed,
    limit: { name: 'read' },
  }),
  addAttachment: operation({
    id: 'passvault.add-attachment',
    method: 'POST',
    path: `${one}/attachments`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Attach a file to an entry, 25 MiB at most',
    description: 'It is encrypted like the entry itself. The reply has its hash.',
    input: v.object({
      vaultId,
      entryId,
      filename: v.pipe(givenName(255), v.description('unique in the entry, without regard to case; without /')),
      mimeType: v.optional(line(255), 'application/octet-stream'),
      content: v.pipe(v.string('must be text'), v.description('base 64')),
    }),
    reply: v.object({ attachment }),
    status: 200,
    message: 'File attached',
    creates: true,
    errors: [...closed, 'ENTRY_NOT_FOUND', 'ATTACHMENT_EXISTS', 'STORAGE_QUOTA_EXCEEDED', 'STORE_FULL', 'OVERLOADED'],
    maxBody: bodyBytesOf(passvaultLimits.attachmentBytes),
  }),
  showAttachment: operation({
    id: 'passvault.show-attachment',
    method: 'GET',
    path: `${one}/attachments/:attachmentId`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Read an attached file',
    description: 'The whole file, in base64. The audit log records who read it.',
    input: v.object({ vaultId, entryId, attachmentId }),
    reply: v.object({
      attachment: v.object({ ...attachment.entries, content: v.pipe(v.string(), v.description('base 64')) }),
    }),
    status: 200,
    message: 'Attachment',
    secretReply: true,
    errors: [...closed, 'ENTRY_NOT_FOUND', 'ATTACHMENT_NOT_FOUND', 'OVERLOADED'],
  }),
  removeAttachment: operation({
    id: 'passvault.remove-attachment',
    method: 'DELETE',
    path: `${one}/attachments/:attachmentId`,
    envelope: 'passvault',
    auth: 'member',
    brings: ['unlockKey'],
    summary: 'Remove an attached file',
    description: 'Its block is deleted as well.',
    input: v.object({ vaultId, entryId, attachmentId }),
    reply: v.object({ deleted: v.literal(true) }),
    status: 200,
    message: 'Attachment removed',
    errors: [...closed, 'ENTRY_NOT_FOUND', 'ATTACHMENT_NOT_FOUND'],
  }),
};
