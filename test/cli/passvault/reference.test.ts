import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatReference, parseEntryName, parseReference } from '../../../src/cli/passvault/run/reference.ts';
import {
  fillTemplate,
  parseTemplate,
  parseValueTemplate,
  referencesOf,
} from '../../../src/cli/passvault/run/template.ts';

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const reference = fc.record({ vault: name, entry: name, field: fc.option(name, { nil: undefined }) });

describe('references', () => {
  it.each([
    ['conclave://Work/GitHub/password', { vault: 'Work', entry: 'GitHub', field: 'password' }],
    ['conclave://My Vault/Bank: main', { vault: 'My Vault', entry: 'Bank: main', field: undefined }],
    ['conclave://a%2Fb/100% sure/x%20y', { vault: 'a/b', entry: '100% sure', field: 'x y' }],
    ['conclave://a/%E2%82%AC/x', { vault: 'a', entry: '€', field: 'x' }],
  ])('%s', (text, expected) => {
    expect(parseReference(text)).toEqual(expected);
  });

  it.each([
    'conclave://',
    'conclave://a',
    'conclave://a/',
    'conclave://a//x',
    'conclave://a/b/',
    'conclave://a/b/c/d',
    'op://a/b/c',
    'conclave://a/%ff/x',
  ])('%s is refused', (text) => {
    expect(() => parseReference(text)).toThrow(expect.objectContaining({ kind: 'invalid', code: 'REFERENCE_INVALID' }));
  });

  it('are read as they are written, whatever names hold', () => {
    fc.assert(
      fc.property(reference, (one) => {
        expect(parseReference(formatReference(one))).toEqual(one);
      }),
    );
  });

  it('stand in any text without braces', () => {
    const around = fc.constantFrom(' ', '\n', '"', "'", ',', ')', '. ', ': x');
    fc.assert(
      fc.property(reference, around, (one, after) => {
        expect(parseTemplate(`x=${formatReference(one)}${after}`)).toEqual(['x=', one, after]);
      }),
    );
  });

  it('name entries by vault and entry as well', () => {
    expect(parseEntryName('Work/a/b')).toEqual({ vault: 'Work', entry: 'a/b', field: undefined });
    expect(parseEntryName('conclave://Work/a%2Fb/x')).toEqual({ vault: 'Work', entry: 'a/b', field: 'x' });
    for (const wrong of ['Work', '/x', 'Work/', '']) {
      expect(() => parseEntryName(wrong)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    }
  });
});

describe('templates', () => {
  it('hold references in braces, with spaces, and bare', () => {
    const parts = parseTemplate('a: {{ conclave://My Vault/My entry/password }}\nb: conclave://v/e/f, {{ other }}.');
    expect(parts).toEqual([
      'a: ',
      { vault: 'My Vault', entry: 'My entry', field: 'password' },
      '\nb: ',
      { vault: 'v', entry: 'e', field: 'f' },
      ', {{ other }}.',
    ]);
    expect(referencesOf(parts)).toHaveLength(2);
    expect(fillTemplate(parts, ({ entry }) => `<${entry}>`)).toBe('a: <My entry>\nb: <e>, {{ other }}.');
  });

  it('stay as they are where they hold none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('conclave://'));
        expect(fillTemplate(parseTemplate(text), () => 'never')).toBe(text);
      }),
    );
  });

  it('never look into a value that was put in', () => {
    const [one] = referencesOf(parseTemplate('{{conclave://a/b/c}}'));
    expect(fillTemplate([one!, '-'], () => '{{ conclave://x/y/z }}$&')).toBe('{{ conclave://x/y/z }}$&-');
  });

  it('are wholly a reference where a value is one', () => {
    expect(parseValueTemplate('conclave://My Vault/My entry/password')).toEqual([
      { vault: 'My Vault', entry: 'My entry', field: 'password' },
    ]);
  });
});
