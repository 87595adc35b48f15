import { books } from '../../contract/contacts/books.ts';
import { cards } from '../../contract/contacts/cards.ts';
import { completion } from '../../contract/contacts/completion.ts';
import { files } from '../../contract/contacts/files.ts';
import { implement } from '../../service/implement.ts';

export const contactsImplementation = {
  ...implement(books, () => import('./books.ts')),
  ...implement(cards, () => import('./cards.ts')),
  ...implement(completion, () => import('./completion.ts')),
  ...implement(files, () => import('./files.ts')),
};
