/** The kind of the jobs that make postings of the documents that wait for them. */
export const searchMergeKind = 'search-merge';
