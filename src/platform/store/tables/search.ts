export interface SearchTables {
  search_spaces: SearchSpaceRow;
  search_documents: SearchDocumentRow;
  search_pending: SearchPendingRow;
  search_recent: SearchPostingRow;
  search_postings: SearchPostingRow;
  search_merges: SearchMergeRow;
}

/** Documents that are searched together. */
export interface SearchSpaceRow {
  /** primary key */
  name: string;
  /** unique; other tables hold this number instead of the name, as they may have millions of rows */
  id: number;
}

/** Primary key: space, at, number. Unique: space, id. A document without a row here is never found. */
export interface SearchDocumentRow {
  space: number;
  /** time of the document's making; results are sorted by it */
  at: number;
  /** distinguishes documents of the same moment; a later document has a higher number */
  number: number;
  /** id of the document, given by its owner */
  id: string;
  /** version of the rules that made its words */
  version: number;
  /** `{"word":weight,"word":weight}`: used to check conditions, and to find the postings to remove */
  words: string;
}

/** A document that has no postings yet; every search looks at it. Primary key: space, at, number. */
export interface SearchPendingRow {
  space: number;
  at: number;
  number: number;
  /** as in its document, so that a search reads this small table alone */
  id: string;
  words: string;
  /** number of its words */
  size: number;
}

/**
 * A word, or its HMAC, and a document that has it. Primary key: all columns. A new posting is in the table of recent postings, which are
 * few enough to stay in memory. Later it moves to the table of all others.
 */
export interface SearchPostingRow {
  space: number;
  word: string;
  at: number;
  number: number;
}

/** The state of the postings of a space. Only merges read and write it. */
export interface SearchMergeRow {
  /** primary key */
  space: number;
  /** approximate number of recent postings */
  recent: number;
  /** set while recent postings move to the others, in the order of their words: the last word that was moved */
  moved_to: string | null;
}
