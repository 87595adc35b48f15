import * as v from 'valibot';
import { hex, memberId, recordId, timestamp, verbatim } from '../text.ts';
import { passvaultLimits } from './limits.ts';

/** Entries of password vaults. Their contents are never trimmed, normalised or changed in any other way. */

export const vaultId = recordId;
export const entryId = recordId;
export const attachmentId = recordId;

export const entryType = v.picklist(
  ['login', 'credit_card', 'secure_note'],
  'must be login, credit_card or secure_note',
);
export type EntryType = v.InferOutput<typeof entryType>;

/** How a URL of an entry is compared with the URL of a page; see services/passvault/entries/url-match.ts. */
export const urlMatch = v.picklist(['domain', 'host', 'startsWith', 'exact', 'never']);
export type UrlMatch = v.InferOutput<typeof urlMatch>;

const { title: TITLE, short: SHORT, long: LONG, url: URL_LENGTH } = passvaultLimits;

const secret = { secret: true };
const title = v.pipe(
  verbatim(TITLE),
  v.check((text) => text.trim() !== '', 'must not be empty'),
);
export const tags = v.pipe(
  v.array(verbatim(passvaultLimits.tag)),
  v.maxLength(passvaultLimits.tags, `must be at most ${passvaultLimits.tags} tags`),
);
const urls = v.pipe(
  v.array(v.object({ uri: verbatim(URL_LENGTH), match: v.optional(urlMatch, 'domain') })),
  v.maxLength(passvaultLimits.urls, `must be at most ${passvaultLimits.urls} URLs`),
);
const customFields = v.pipe(
  v.array(v.object({ name: verbatim(SHORT), value: verbatim(LONG), hidden: v.optional(v.boolean(), false) })),
  v.maxLength(passvaultLimits.customFields, `must be at most ${passvaultLimits.customFields} fields`),
);
const passwordHistory = v.pipe(
  v.array(v.object({ password: v.pipe(verbatim(SHORT), v.metadata(secret)), changedAt: v.nullable(timestamp) })),
  v.maxLength(passvaultLimits.passwordHistory, `must be at most ${passvaultLimits.passwordHistory} passwords`),
);

/** `MM/YYYY`; an imported record may lack either half. A year of two digits is in this century. */
const expirationDate = v.pipe(
  v.string('must be text'),
  v.regex(/^(?:(?:0?[1-9]|1[0-2])?\/(?:\d{2}|\d{4})?)?$/, 'must be MM/YYYY'),
  v.transform((text) => {
    const [month = '', year = ''] = text.split('/');
    return text === '' ? '' : `${month.padStart(month === '' ? 0 : 2, '0')}/${year.length === 2 ? `20${year}` : year}`;
  }),
);

/** All contents of an entry other than its type and title. A content that does not exist is left out. */
const contents = {
  username: v.optional(verbatim(SHORT)),
  password: v.optional(v.pipe(verbatim(SHORT), v.metadata(secret))),
  siteUrl: v.optional(verbatim(URL_LENGTH)),
  totpSecret: v.optional(
    v.pipe(verbatim(SHORT), v.description('base-32, an otpauth:// URI, or steam://SECRET'), v.metadata(secret)),
  ),
  urls: v.optional(v.pipe(urls, v.description('more addresses of a login, and how each is matched'))),
  cardholderName: v.optional(verbatim(SHORT)),
  cardNumber: v.optional(v.pipe(verbatim(SHORT), v.metadata(secret))),
  expirationDate: v.optional(v.pipe(expirationDate, v.description('MM/YYYY'))),
  cvv: v.optional(v.pipe(verbatim(SHORT), v.metadata(secret))),
  content: v.optional(v.pipe(verbatim(LONG), v.metadata(secret))),
  notes: v.optional(verbatim(LONG)),
  customFields: v.optional(customFields),
  passwordHistory: v.optional(passwordHistory),
  tags: v.optional(tags),
  favorite: v.optional(v.boolean('must be true or false')),
  archived: v.optional(v.boolean('must be true or false')),
};

export const newEntry = { type: entryType, title, ...contents };

/** A field that is left out stays unchanged. An entry keeps its type. */
export const entryChanges = { type: v.optional(entryType), title: v.optional(title), ...contents };

export const attachment = v.object({
  id: attachmentId,
  filename: v.string(),
  mimeType: v.string(),
  sizeBytes: v.number(),
});
export type Attachment = v.InferOutput<typeof attachment>;

/** An entry as it is stored: the plain text of its encrypted block. */
const keptEntry = v.object({
  type: entryType,
  title: v.string(),
  username: v.optional(v.string()),
  password: v.optional(v.string()),
  siteUrl: v.optional(v.string()),
  totpSecret: v.optional(v.string()),
  urls: v.optional(v.array(v.object({ uri: v.string(), match: urlMatch }))),
  cardholderName: v.optional(v.string()),
  cardNumber: v.optional(v.string()),
  expirationDate: v.optional(v.string()),
  cvv: v.optional(v.string()),
  content: v.optional(v.string()),
  notes: v.optional(v.string()),
  customFields: v.optional(v.array(v.object({ name: v.string(), value: v.string(), hidden: v.boolean() }))),
  /** newest first; `changedAt` is the time at which the password was replaced, or null if an import does not contain it */
  passwordHistory: v.optional(v.array(v.object({ password: v.string(), changedAt: v.nullable(v.string()) }))),
  tags: v.array(v.string()),
  favorite: v.boolean(),
  archived: v.boolean(),
});
export type KeptEntry = v.InferOutput<typeof keptEntry>;

export const entry = v.object({
  id: entryId,
  vaultId,
  ...keptEntry.entries,
  attachments: v.array(attachment),
  version: v.pipe(v.number(), v.description('number of the version, from 1; also the ETag')),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Entry = v.InferOutput<typeof entry>;

/** The fields of an entry in lists and in the search. */
export const propertyRecord = v.object({
  id: entryId,
  entryType,
  title: v.string(),
  tags: v.array(v.string()),
  favorite: v.boolean(),
  siteUrl: v.pipe(v.string(), v.description('empty if there is none')),
  username: v.string(),
  archived: v.boolean(),
  hasTotp: v.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
  version: v.number(),
});
export type PropertyRecord = v.InferOutput<typeof propertyRecord>;

/** A notice for the owner of a vault. */
export const vaultNotice = v.object({
  kind: v.pipe(
    v.picklist(['RECOVERY_REQUESTED', 'RECOVERED', 'EMERGENCY_ENDED']),
    v.description('`EMERGENCY_ENDED`: its shares were used before. Configure emergency access again'),
  ),
  memberId: v.pipe(memberId, v.description('who did it')),
  username: v.string(),
  at: timestamp,
  endsAt: v.optional(v.pipe(timestamp, v.description('of a request: until when it can be denied'))),
});
export type VaultNotice = v.InferOutput<typeof vaultNotice>;

export const vaultSummary = v.object({
  id: vaultId,
  name: v.string(),
  ownerId: memberId,
  ownerUsername: v.string(),
  createdAt: timestamp,
  modifiedAt: timestamp,
  entryCount: v.number(),
  sharedWith: v.array(memberId),
  role: v.pipe(v.picklist(['owner', 'recipient']), v.description('role of the caller in the vault')),
  open: v.pipe(v.boolean(), v.description('whether the vault is open in the session of the caller')),
  notices: v.optional(v.pipe(v.array(vaultNotice), v.description('for its owner; missing where there are none'))),
});
export type VaultSummary = v.InferOutput<typeof vaultSummary>;

export const vaultMetadata = v.object({
  id: vaultId,
  name: v.string(),
  ownerId: memberId,
  createdAt: timestamp,
  updatedAt: timestamp,
  entryCount: v.number(),
  sharedWith: v.array(memberId),
  vcblBlockId: v.pipe(hex(64), v.description('SHA3-512 of the encrypted header of the vault')),
  role: v.picklist(['owner', 'recipient']),
});
export type VaultMetadata = v.InferOutput<typeof vaultMetadata>;
