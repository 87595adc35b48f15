import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sharePasswordIn, sharePasswordText } from '../../src/contract/filevault/share-password.ts';
import { runs } from '../support/stage.ts';

describe('the password of a link in a header', () => {
  it('arrives as it was typed, and is letters that every header carries', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (password) => {
        const text = sharePasswordText(password);
        expect(text).toMatch(/^[!-~]+$/);
        expect(sharePasswordIn(text)).toBe(password.normalize('NFC'));
      }),
      { numRuns: runs(300) },
    );
  });

  it.each(['  between spaces  ', "UTF-8''100%25", "utf-8''x", '%41', 'gr\u00fcn \u{1F389}'])(
    '%j is not taken for another',
    (password) => {
      expect(sharePasswordIn(sharePasswordText(password))).toBe(password);
    },
  );

  it('is also taken as other programs send it', () => {
    expect(sharePasswordIn('plain')).toBe('plain');
    expect(sharePasswordIn(Buffer.from('grün').toString('latin1'))).toBe('grün');
    expect(sharePasswordIn("UTF-8''gr%C3%BCn")).toBe('grün');
    expect(sharePasswordIn("UTF-8''100%")).toBe("UTF-8''100%");
  });
});
