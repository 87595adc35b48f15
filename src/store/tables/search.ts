export interface SearchTables {
  search_spaces: SearchSpaceRow;
  search_documents: SearchDocumentRow;
  search_postings: SearchPostingRow;
}

/** What is searched together. */
export interface SearchSpaceRow {
  /** primary key */
  name: string;
  /** unique; the other rows carry it, of which there may be millions */
  id: number;
}

/** Primary key: space, at, number. Unique: space, id. */
export interface SearchDocumentRow {
  space: number;
  /** when it was made, by which it is sorted */
  at: number;
  /** tells documents of one moment apart; the later one was added later */
  number: number;
  /** of what is found, as its owner calls it */
  id: string;
  /** ` word=weight word=weight `: by it conditions are checked, and postings found again that have to go */
  words: string;
}

/** A word, or its HMAC, and a document that has it. Primary key: all of it. */
export interface SearchPostingRow {
  space: number;
  word: string;
  at: number;
  number: number;
}
