import type { Mutant } from './mutant.ts';

export const searchMutants: readonly Mutant[] = [
  {
    file: 'src/store/search/query.ts',
    what: 'words of a space with a key whole',
    from: 'const open = prefix && space.key === undefined &&',
    to: 'const open = prefix &&',
    tests: ['test/store/search/search.test.ts'],
  },
  {
    file: 'src/store/search/query.ts',
    what: 'length of a query',
    from: 'if (text.length > mostCharacters) throw',
    to: 'if (text.length > Infinity) throw',
    tests: ['test/store/search/search.test.ts'],
  },
  {
    file: 'src/store/search/query.ts',
    what: 'words of a query',
    from: 'if (words.size > mostWords) throw',
    to: 'if (words.size > Infinity) throw',
    tests: ['test/store/search/search.test.ts'],
  },
  {
    file: 'src/store/search/documents.ts',
    what: 'old place of a document',
    from: '  if (found !== undefined) await removeAt(db, found);\n  const row',
    to: '  const row',
    tests: ['test/store/search/search.test.ts'],
  },
  {
    file: 'src/store/search/documents.ts',
    what: 'words that a document has no more',
    from: 'before.filter((word) => !weights.has(word))',
    to: '[]',
    tests: ['test/store/search/search.test.ts'],
  },
  {
    file: 'src/store/search/search.ts',
    what: 'search of a cursor',
    from: 'filter: { ...listing.filter, sought }',
    to: 'filter: { ...listing.filter }',
    tests: ['test/store/search/search.test.ts'],
  },
];
