import { expect, it } from 'vitest';
import { wrapSaid } from '../../src/cli/kit/wrap-words.ts';

it('breaks between words, and leaves a longer word whole', () => {
  expect(wrapSaid('one two three fourteen-letters', 9)).toBe('one two\nthree\nfourteen-letters');
});

it('keeps what lines begin with, also where they are broken or have no end', () => {
  expect(wrapSaid('Compare them:\n  bob, whose words are many', 20)).toBe(
    'Compare them:\n  bob, whose words\n  are many',
  );
  expect(wrapSaid('Compare them:\n  bob', Infinity)).toBe('Compare them:\n  bob');
});

it('leaves a command to copy on one line', () => {
  expect(wrapSaid('To restore it, run: conclave files restore 01a2', 24)).toBe(
    'To restore it, run:\nconclave files restore 01a2',
  );
  expect(wrapSaid('They run:\nconclave admin nodes approve 01a2', 24)).toBe(
    'They run:\nconclave admin nodes approve 01a2',
  );
});
