import * as v from 'valibot';
import { operation } from '../operation.ts';
import { timestamp } from '../text.ts';
import { bookAbout, bookName, contactsRoot, inBook } from './fields.ts';
import { contactsLimits, membersBook } from './limits.ts';

const one = `${contactsRoot}/:bookId`;
const common = { envelope: 'calendar', auth: 'member', scope: 'contacts' } as const;

const book = v.object({
  id: v.string(),
  displayName: v.string(),
  description: v.string(),
  isDefault: v.pipe(v.boolean(), v.description('whether new contacts come here unless another book is named')),
  readOnly: v.boolean(),
  cardCount: v.number(),
  ctag: v.pipe(v.string(), v.description('changes with each change of a contact')),
  dateCreated: v.optional(timestamp),
  dateModified: v.optional(timestamp),
});
export type Book = v.InferOutput<typeof book>;
const oneBook = v.object({ book });

/** Address books, prefix `/api/contacts/books`. */
export const books = {
  listBooks: operation({
    ...common,
    id: 'contacts.books',
    method: 'GET',
    path: contactsRoot,
    summary: 'List your address books',
    description: `Own ones in the order of their names, and then \`${membersBook}\`: whom you follow, and who is in a group, channel or hub of at most ${contactsLimits.roomMembers} members with you, each with the mailbox on this node. Nobody changes that one. The first time, a default book is made.`,
    input: v.object({}),
    reply: v.object({ books: v.array(book) }),
    status: 200,
    message: 'Address books',
    errors: [],
  }),
  createBook: operation({
    ...common,
    id: 'contacts.create-book',
    method: 'POST',
    path: contactsRoot,
    summary: 'Create an address book',
    description: `A member has at most ${contactsLimits.books}. Nobody else sees what is in it.`,
    input: v.object({
      displayName: bookName,
      description: v.optional(bookAbout, ''),
      isDefault: v.optional(
        v.pipe(v.boolean('must be true or false'), v.description('makes it the one for new contacts')),
      ),
    }),
    reply: oneBook,
    status: 201,
    message: 'Address book created',
    errors: ['BOOKS_FULL'],
    limit: { name: 'contactsChange' },
  }),
  showBook: operation({
    ...common,
    id: 'contacts.show-book',
    method: 'GET',
    path: one,
    summary: 'Show an address book',
    description: 'One of your own, or the book of members. Books of others are unknown to you.',
    input: v.object(inBook),
    reply: oneBook,
    status: 200,
    message: 'Address book',
    errors: ['NOT_FOUND'],
  }),
  updateBook: operation({
    ...common,
    id: 'contacts.update-book',
    method: 'PATCH',
    path: one,
    summary: 'Change an address book',
    description: 'Fields that are left out stay.',
    input: v.object({
      ...inBook,
      displayName: v.optional(bookName),
      description: v.optional(bookAbout),
      isDefault: v.optional(
        v.pipe(
          v.literal(true, 'can only be true: make another book the default instead'),
          v.description('makes it the one for new contacts'),
        ),
      ),
    }),
    reply: oneBook,
    status: 200,
    message: 'Address book changed',
    errors: ['NOT_FOUND'],
    limit: { name: 'contactsChange' },
  }),
  deleteBook: operation({
    ...common,
    id: 'contacts.delete-book',
    method: 'DELETE',
    path: one,
    summary: 'Delete an address book with all its contacts',
    description: 'The default book can be deleted only after another one has been made the default.',
    input: v.object(inBook),
    reply: v.object({ success: v.literal(true) }),
    status: 200,
    message: 'Address book deleted',
    errors: ['NOT_FOUND', 'DEFAULT_BOOK'],
    limit: { name: 'contactsChange' },
  }),
};
