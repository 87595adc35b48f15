import { books } from './contacts/books.ts';
import { cards } from './contacts/cards.ts';
import { completion } from './contacts/completion.ts';
import { files } from './contacts/files.ts';

/** Contacts of members, prefix `/api/contacts`. */
export const contacts = {
  ...books,
  ...cards,
  ...files,
  ...completion,
};
