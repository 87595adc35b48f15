import * as v from 'valibot';
import { ifMatch } from '../if-match.ts';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { line } from '../text.ts';
import { cardChanges, cardFields, cardId, contactsRoot, inBook, listedCard, shownCard, vcard } from './fields.ts';
import { contactsLimits } from './limits.ts';

const root = `${contactsRoot}/:bookId/cards`;
const one = `${root}/:cardId`;
const common = { envelope: 'calendar', auth: 'member', scope: 'contacts' } as const;

const byId = { ...inBook, cardId };
const reply = v.object({ card: shownCard });
const withTag = {
  reply,
  headers: ({ card }: v.InferOutput<typeof reply>) => ({ etag: `"${card.etag}"` }),
};
/** A card whose line ends and quotes are escaped in JSON is longer than itself. */
const maxBody = 2 * contactsLimits.cardBytes;

/** Contacts, prefix `/api/contacts/books/:bookId/cards`. */
export const cards = {
  listCards: operation({
    ...common,
    ...paged({
      name: 'cards',
      of: listedCard,
      filter: {
        ...inBook,
        q: v.optional(
          v.pipe(
            line(contactsLimits.search),
            v.description('only contacts that have all these words, or parts of words, in any case and accents'),
          ),
        ),
      },
      errors: ['NOT_FOUND'],
      most: contactsLimits.mostOnPage,
      limit: contactsLimits.page,
    }),
    id: 'contacts.list',
    method: 'GET',
    path: root,
    summary: 'List the contacts of an address book, or search in it',
    description:
      'In the order of their names. A search looks at names, organizations, titles, e-mail addresses, telephone numbers and categories. The first 20 addresses and numbers of a contact are in the list.',
    status: 200,
    message: 'Contacts',
  }),
  createCard: operation({
    ...common,
    ...withTag,
    id: 'contacts.create',
    method: 'POST',
    path: root,
    summary: 'Add a contact',
    description: `From \`vcard\`, or from the other fields. A book has at most ${contactsLimits.cards} contacts.`,
    input: v.object({ ...inBook, vcard: v.optional(vcard), ...cardFields }),
    status: 201,
    message: 'Contact added',
    errors: ['NOT_FOUND', 'CARD_EXISTS', 'CARDS_FULL', 'STORAGE_QUOTA_EXCEEDED'],
    limit: { name: 'contactsChange' },
    maxBody,
  }),
  showCard: operation({
    ...common,
    ...withTag,
    id: 'contacts.show',
    method: 'GET',
    path: one,
    summary: 'Show a contact',
    description: 'All of its fields, and its vCard as it was given. The `ETag` is that of `If-Match`.',
    input: v.object(byId),
    status: 200,
    message: 'Contact',
    errors: ['NOT_FOUND'],
  }),
  replaceCard: operation({
    ...common,
    ...withTag,
    id: 'contacts.replace',
    method: 'PUT',
    path: one,
    summary: 'Replace a contact',
    description: 'By `vcard`, or by the other fields: of what it had, only the UID stays.',
    input: v.object({ ...byId, vcard: v.optional(vcard), ...cardFields, ifMatch }),
    status: 200,
    message: 'Contact replaced',
    errors: ['NOT_FOUND', 'CARD_EXISTS', 'PRECONDITION_FAILED', 'STORAGE_QUOTA_EXCEEDED'],
    limit: { name: 'contactsChange' },
    maxBody,
  }),
  updateCard: operation({
    ...common,
    ...withTag,
    id: 'contacts.update',
    method: 'PATCH',
    path: one,
    summary: 'Change fields of a contact',
    description:
      'Fields that are left out stay, null removes one, and a list replaces the whole list. All else in the vCard stays as it is.',
    input: v.object({ ...byId, ...cardChanges, ifMatch }),
    status: 200,
    message: 'Contact changed',
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'STORAGE_QUOTA_EXCEEDED'],
    limit: { name: 'contactsChange' },
    maxBody,
  }),
  deleteCard: operation({
    ...common,
    id: 'contacts.delete',
    method: 'DELETE',
    path: one,
    summary: 'Delete a contact',
    description: 'With all that its vCard has. Programs that keep a copy learn of it for 90 days.',
    input: v.object({ ...byId, ifMatch }),
    reply: v.object({ success: v.literal(true) }),
    status: 200,
    message: 'Contact deleted',
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    limit: { name: 'contactsChange' },
  }),
};
