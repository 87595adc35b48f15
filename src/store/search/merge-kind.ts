/** Of the jobs that make postings of documents that wait for them. */
export const searchMergeKind = 'search-merge';
