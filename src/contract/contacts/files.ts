import * as v from 'valibot';
import { rawOperation, uploadOperation } from '../operation.ts';
import { contactsRoot, inBook } from './fields.ts';
import { cardDuplicateModes, contactsLimits } from './limits.ts';

const common = { envelope: 'calendar', auth: 'member', scope: 'contacts' } as const;
const MEBIBYTE = 1024 ** 2;

const importResult = v.object({
  imported: v.number(),
  skipped: v.pipe(v.number(), v.description('contacts that the book has, with `skip`')),
  overwritten: v.number(),
  failed: v.number(),
  errors: v.pipe(
    v.array(
      v.object({
        line: v.pipe(v.number(), v.description('line of the file at which the contact begins, from 1')),
        name: v.optional(v.pipe(v.string(), v.description('of the contact, if it can be read'))),
        code: v.string(),
        message: v.string(),
      }),
    ),
    v.description(`what failed, and why; the first ${contactsLimits.importErrors}`),
  ),
});
export type CardImportResult = v.InferOutput<typeof importResult>;

/** Address books as files, prefix `/api/contacts/books/:bookId`. */
export const files = {
  exportVcf: rawOperation({
    ...common,
    id: 'contacts.export',
    method: 'GET',
    path: `${contactsRoot}/:bookId/export`,
    summary: 'Export an address book as vCards',
    description: 'All contacts as they were given, one after another.',
    input: v.object(inBook),
    status: 200,
    errors: ['NOT_FOUND'],
    accepts: [],
    produces: ['text/vcard'],
  }),
  importVcf: uploadOperation({
    ...common,
    id: 'contacts.import',
    method: 'POST',
    path: `${contactsRoot}/:bookId/import`,
    summary: 'Import contacts from vCards',
    description: `\`text/vcard\`, or JSON with the text as \`vcf\`, up to ${contactsLimits.importFile / MEBIBYTE} MiB. Versions 3.0 and 4.0 are kept as they are, 2.1 becomes 3.0. What is wrong with one contact fails that contact alone.`,
    input: v.object({
      ...inBook,
      duplicateMode: v.optional(
        v.pipe(
          v.picklist(cardDuplicateModes, 'must be skip, overwrite or create-new'),
          v.description(
            'what becomes of a contact whose UID the book has; a field `duplicateMode` of JSON says it too',
          ),
        ),
        'skip',
      ),
    }),
    reply: v.object({ result: importResult }),
    status: 200,
    message: 'Imported',
    creates: true,
    errors: ['NOT_FOUND', 'IMPORT_UNREADABLE'],
    limit: { name: 'contactsImport' },
    accepts: ['text/vcard', 'application/json'],
    digest: true,
    maxBody: contactsLimits.importFile,
  }),
};
