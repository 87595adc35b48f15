import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { chat } from '../../src/contract/chat.ts';
import { social } from '../../src/contract/social.ts';
import {
  atLeast,
  atMost,
  email,
  givenName,
  hex,
  integer,
  line,
  paragraph,
  secretText,
  username,
  verbatim,
} from '../../src/contract/text.ts';
import { inputJsonSchema } from '../../src/http/openapi/json-schema.ts';

const takes = (schema: v.GenericSchema, value: unknown) => v.is(schema, value);

describe('text', () => {
  it('of one line has no control character and no half of a surrogate pair', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
          maxLength: 20,
        }),
        (text) => {
          const wanted = text.length > 0 && !/[\p{Cc}\p{Cs}]/u.test(text);
          expect(takes(line(20), text)).toBe(wanted);
        },
      ),
    );
  });

  it('counts code points, and no UTF-16 units, at both ends', () => {
    const emoji = (count: number) => '🍰'.repeat(count);
    for (const kind of [line, givenName, paragraph, verbatim, secretText, atMost]) {
      for (const good of [emoji(5), `${emoji(4)}a`, '👩🏽👩🏽a']) expect(takes(kind(5), good), kind.name).toBe(true);
      for (const bad of [emoji(6), `${emoji(5)}a`, 'abcdef', 'x'.repeat(11)])
        expect(takes(kind(5), bad), kind.name).toBe(false);
      // One that is too long is refused for that alone.
      expect(v.safeParse(kind(5), emoji(20)).issues?.map(({ message }) => message)).toEqual([
        'must be at most 5 characters',
      ]);
      expect(inputJsonSchema(kind(5))).toMatchObject({ type: 'string', maxLength: 5 });
    }
    const two = v.pipe(line(9), atLeast(2));
    expect([takes(two, '🍰'), takes(two, '🍰🍰'), takes(two, 'a')]).toEqual([false, true, false]);
    for (const group of [chat.searchChat, social.searchMessages])
      expect([takes(group.input, { q: '🍰' }), takes(group.input, { q: '🍰🍰' })]).toEqual([false, true]);
    const group = { memberIds: ['0'.repeat(24)] };
    for (const [count, wanted] of [
      [100, true],
      [101, false],
    ] as const)
      expect(takes(chat.createGroup.input, { ...group, name: emoji(count) })).toBe(wanted);
  });

  it('of several lines has tabs and line ends as well, and may be empty', () => {
    expect(takes(paragraph(20), 'one\n\ttwo\r\n')).toBe(true);
    expect(takes(paragraph(20), '')).toBe(true);
    for (const bad of ['\u0000', '\u001b[2J', '\u007f', '\u0085', '\ud800', 'x'.repeat(21)]) {
      expect(takes(paragraph(20), bad)).toBe(false);
    }
  });

  it('of hex digits comes out in lower case', () => {
    expect(v.parse(hex(2), 'aBCd')).toBe('abcd');
    for (const bad of ['abc', 'abcde', 'abcdef', 'xyzw', '', ' abcd', 'abcd\n'])
      expect(takes(hex(2), bad), bad).toBe(false);
    expect(v.parse(hex({ max: 3 }), 'AbCd')).toBe('abcd');
    for (const bad of ['', 'a', 'abcdef01', '0x01']) expect(takes(hex({ max: 3 }), bad), bad).toBe(false);
  });

  it('of a username is letters, digits, _ and -', () => {
    for (const good of ['abc', 'A-b_9', 'x'.repeat(30)]) expect(takes(username, good), good).toBe(true);
    for (const bad of ['ab', 'x'.repeat(31), 'a b', 'ä-ö', 'abc\n', 'a@b', ''])
      expect(takes(username, bad), bad).toBe(false);
  });

  it('of an e-mail address has the limits of RFC 5321', () => {
    const label = 'x'.repeat(63);
    for (const good of ['a@b', 'ada.l+tag@example.org', 'ü@käse.example', `${'a'.repeat(64)}@${label}.org`]) {
      expect(takes(email, good), good).toBe(true);
    }
    const bad = [
      '@b',
      'a@',
      'a',
      'a@b@c',
      'a b@c',
      'a@-b.org',
      'a@b-.org',
      'a@b..org',
      `${'a'.repeat(65)}@b`,
      `a@${label}x.org`,
      '<a@b>',
      'a@b\n',
    ];
    for (const one of [...bad, `a@${'b.'.repeat(126)}org`]) expect(takes(email, one), one).toBe(false);
  });

  it('of an address finds no way to try for ever', () => {
    // A pattern that goes back would take longer than the sun lasts.
    for (const hostile of [`a@${'a'.repeat(250)}`, `a@${'a-'.repeat(120)}!`, `a@${'a.'.repeat(120)}!`])
      expect(takes(email, hostile), hostile).toBe(false);
  });
});

describe('whole numbers', () => {
  it('come as numbers from a body and as text from a query', () => {
    expect(v.parse(integer(1, 100), 7)).toBe(7);
    expect(v.parse(integer(1, 100), '7')).toBe(7);
    for (const bad of [
      0,
      101,
      1.5,
      Number.NaN,
      Infinity,
      '',
      ' 7',
      '7.0',
      '7e1',
      '0x7',
      '101',
      true,
      null,
      [7],
      1e300,
      '9'.repeat(16),
    ]) {
      expect(takes(integer(1, 100), bad), String(bad)).toBe(false);
    }
  });
});
