export interface ContactTables {
  contact_books: ContactBookRow;
  contact_cards: ContactCardRow;
  contact_tombstones: ContactTombstoneRow;
}

/** An address book of a member. */
export interface ContactBookRow {
  id: string;
  owner_id: string;
  name: string;
  about: string;
  /** one book of a member has 1 */
  is_default: number;
  /** the key of its content, 32 bytes, sealed under the key of the node */
  content_key: Uint8Array;
  /** counts changes of its cards */
  change_seq: number;
  /** deletions up to this change are forgotten */
  forgotten_seq: number;
  /** how many cards it has */
  cards: number;
  created_at: number;
  modified_at: number;
}

/** A contact. What lists need stands before the text, which SQLite then leaves unread. */
export interface ContactCardRow {
  id: string;
  book_id: string;
  /** of the resource, for programs */
  name: string;
  /** HMAC-SHA256 of the UID under a key of the book, the first 16 bytes, hex */
  uid_key: string;
  etag: string;
  /** the change of the book that was its last one */
  change_seq: number;
  /** what counts to the storage of the owner */
  bytes: number;
  created_at: number;
  modified_at: number;
  /** name, addresses, and words for searches, as JSON, sealed under the key of the book */
  summary: Uint8Array;
  /** the vCard as it was given, in UTF-8, sealed likewise */
  octets: Uint8Array;
}

/** What a book had, for programs that keep a copy. Primary key: book_id, name. */
export interface ContactTombstoneRow {
  book_id: string;
  name: string;
  card_id: string;
  change_seq: number;
  deleted_at: number;
}
