import { describe, expect, it } from 'vitest';
import {
  addressKey,
  addressOf,
  mailboxFrom,
  mailboxIn,
  shownAddress,
} from '../../../src/services/mail/message/address.ts';

const long = (count: number): string => 'a'.repeat(count);

describe('an address', () => {
  it.each([
    ['ada@home.example', 'ada@home.example'],
    ['Ada.Lovelace+x@HOME.Example', 'Ada.Lovelace+x@home.example'],
    ["!#$%&'*+-/=?^_`{|}~@home", "!#$%&'*+-/=?^_`{|}~@home"],
    ['"ada lovelace"@home.example', '"ada lovelace"@home.example'],
    ['"ada"@home.example', 'ada@home.example'],
    [String.raw`"a\"b\\c"@home.example`, String.raw`"a\"b\\c"@home.example`],
    ['"a@b"@home.example', '"a@b"@home.example'],
    ['""@home.example', '""@home.example'],
    ['".a."@home.example', '".a."@home.example'],
    ['bücher@bücher.example', 'bücher@xn--bcher-kva.example'],
    ['ada@[192.0.2.1]', 'ada@[192.0.2.1]'],
    ['ada@[IPv6:2001:DB8::1]', 'ada@[IPv6:2001:db8::1]'],
    [`${long(64)}@home.example`, `${long(64)}@home.example`],
    [`ada@${long(63)}.example`, `ada@${long(63)}.example`],
  ])('%s is written %s', (text, written) => {
    expect(addressOf(mailboxIn(text)!)).toBe(written);
    expect(mailboxIn(written)).toEqual(mailboxIn(text));
  });

  it.each([
    '',
    'ada',
    '@home.example',
    'ada@',
    'ada@home..example',
    'ada@.home',
    'ada@home.',
    'ada@-home.example',
    'ada@home-.example',
    'ada@ho_me.example',
    'ada@home example',
    'ada@127.0.0.1',
    'ada@[192.0.2.256]',
    'ada@[2001:db8::1]',
    'ada@[IPv6:zz]',
    '"ada@home.example',
    'a"da@home.example\r\nBcc: eve@home.example',
    'ada\n@home.example',
    'ada\u0000@home.example',
    'ada\u007f@home.example',
    'ada\u2028@home.example',
    'ada\u202e@home.example',
    '"ada\r\n"@home.example',
    '"a\\\u0001"@home.example',
    'ada@home.example\r\n',
    'ada@ho%6De.example',
    'ada@home.example>',
    'ada@ho\u0000me.example',
    `${long(65)}@home.example`,
    `ada@${long(64)}.example`,
    `ada@${`${long(63)}.`.repeat(3)}${long(62)}`,
    '\ud800@home.example',
  ])('%j is none', (text) => {
    expect(mailboxIn(text)).toBeUndefined();
  });

  it('is made of two halves, each of which may need quotes of its own', () => {
    expect(addressOf(mailboxFrom({ localPart: 'b@example.com, evil', domain: 'home.example' })!)).toBe(
      '"b@example.com, evil"@home.example',
    );
    expect(mailboxFrom({ localPart: 'ada', domain: 'x.test, eve@home.example' })).toBeUndefined();
    expect(mailboxFrom({ localPart: 'b@example.com>\r\nBcc: <evil', domain: 'home.example' })).toBeUndefined();
  });

  it('is shown with its own letters, and compared without regard to case', () => {
    const mailbox = mailboxIn('Ada@BÜCHER.example')!;
    expect(shownAddress(mailbox)).toBe('Ada@bücher.example');
    expect(addressKey(mailbox)).toBe('ada@xn--bcher-kva.example');
    expect(addressKey(mailboxIn('ADA@xn--bcher-kva.EXAMPLE')!)).toBe(addressKey(mailbox));
  });
});
