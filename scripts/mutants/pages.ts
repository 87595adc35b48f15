import type { Mutant } from './mutant.ts';

export const pageMutants: readonly Mutant[] = [
  {
    file: 'src/platform/store/page.ts',
    what: 'member of a cursor',
    from: 'list, memberId, filter: given, order }',
    to: 'list, filter: given, order }',
    tests: ['test/platform/store/page.test.ts'],
  },
  {
    file: 'src/platform/store/page.ts',
    what: 'filter of a cursor',
    from: 'list, memberId, filter: given, order }',
    to: 'list, memberId, order }',
    tests: ['test/platform/store/page.test.ts'],
  },
  {
    file: 'src/platform/store/page.ts',
    what: 'order of a cursor',
    from: 'list, memberId, filter: given, order }',
    to: 'list, memberId, filter: given }',
    tests: ['test/platform/store/page.test.ts'],
  },
  {
    file: 'src/platform/store/page.ts',
    what: 'list of a cursor',
    from: 'list, memberId, filter: given, order }',
    to: 'memberId, filter: given, order }',
    tests: ['test/platform/store/page.test.ts'],
  },
  {
    file: 'src/platform/store/page.ts',
    what: 'one spelling of a cursor',
    from: "sealed.toString('base64url') !== text",
    to: "text === ''",
    tests: ['test/platform/store/page.test.ts'],
  },
  {
    file: 'src/platform/store/page.ts',
    what: 'row that tells whether there is more',
    from: 'size === undefined ? undefined : size + 1',
    to: 'size',
    tests: ['test/platform/store/page.test.ts'],
  },
  {
    file: 'src/platform/store/page.ts',
    what: 'moment of the first page',
    from: 'writeCursor(cursors, listing, last, after.asOf)',
    to: 'writeCursor(cursors, listing, last, cursors.clock.now())',
    tests: ['test/platform/store/page.test.ts'],
  },
  {
    file: 'src/platform/store/page.ts',
    what: 'rows without a value',
    from: 'const last = nullable === true ? sql` or ${is} is null` : sql``;',
    to: 'const last = sql``;',
    tests: ['test/platform/store/page.test.ts'],
  },
];
