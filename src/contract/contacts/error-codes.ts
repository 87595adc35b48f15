/** What can go wrong with contacts. */
export const contactsErrorCodes = {
  CARD_EXISTS: {
    status: 409,
    text: 'The book has a contact with this UID. `error.details.cardId` is the id of that contact.',
  },
  DEFAULT_BOOK: {
    status: 409,
    text: 'The default address book cannot be deleted. Make another one the default first.',
  },
  BOOKS_FULL: { status: 409, text: 'The caller has as many address books as is possible. Delete one first.' },
  CARDS_FULL: {
    status: 409,
    text: 'The book has as many contacts as is possible. Delete some, or use another one.',
  },
} as const;
