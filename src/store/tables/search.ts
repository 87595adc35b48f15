export interface SearchTables {
  search_spaces: SearchSpaceRow;
  search_documents: SearchDocumentRow;
  search_pending: SearchPendingRow;
  search_recent: SearchPostingRow;
  search_postings: SearchPostingRow;
  search_merges: SearchMergeRow;
}

/** What is searched together. */
export interface SearchSpaceRow {
  /** primary key */
  name: string;
  /** unique; the other rows carry it, of which there may be millions */
  id: number;
}

/** Primary key: space, at, number. Unique: space, id. Nothing is found that isn't here. */
export interface SearchDocumentRow {
  space: number;
  /** when it was made, by which it is sorted */
  at: number;
  /** tells documents of one moment apart; the later one was added later */
  number: number;
  /** of what is found, as its owner calls it */
  id: string;
  /** of the rules by which its words were made */
  version: number;
  /** `{"word":weight,"word":weight}`: by it conditions are checked, postings made, and found again that have to go */
  words: string;
}

/** A document that has no postings yet, and is looked at by every search. Primary key: space, at, number. */
export interface SearchPendingRow {
  space: number;
  at: number;
  number: number;
  /** how many words it has */
  size: number;
}

/**
 * A word, or its HMAC, and a document that has it. Primary key: all of it. A posting is among the recent ones, few enough to stay in
 * memory, and then with all others.
 */
export interface SearchPostingRow {
  space: number;
  word: string;
  at: number;
  number: number;
}

/** How far the postings of a space are. Only merges read and write it. */
export interface SearchMergeRow {
  /** primary key */
  space: number;
  /** about how many postings are among the recent ones */
  recent: number;
  /** while the recent ones move to the others, in the order of their words: the last word that did */
  moved_to: string | null;
}
