import { describe, expect, it } from 'vitest';
import {
  appPasswordCheck,
  appPasswordJti,
  appPasswordKeyPair,
  generateAppPassword,
  readAppPassword,
  writeAppPassword,
  writeHandle,
} from '../../src/crypto/app-password.ts';
import { toHex, utf8 } from '../../src/crypto/bytes.ts';
import { eciesDecrypt, eciesEncrypt } from '../../src/crypto/ecies.ts';
import { expectCryptoError } from './damage.ts';

const memberId = 'ab'.repeat(12);
const other = 'cd'.repeat(12);
const password = generateAppPassword();

describe('app passwords', () => {
  it('are nine groups of four, of which two say which password it is', () => {
    const text = writeAppPassword(password);
    expect(text).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){8}$/);
    expect(text.startsWith(`${writeHandle(password.handle)}-`)).toBe(true);
    expect(writeHandle(password.handle)).toMatch(/^.{4}-.{4}$/);
    expect(readAppPassword(text)).toEqual(password);
    // 28 digits of five bits: more than the 130 that nobody guesses.
    expect(password.secret.length * 5).toBeGreaterThanOrEqual(130);
    expect(generateAppPassword()).not.toEqual(password);
  });

  it('are read without case, dashes, spaces and look-alikes', () => {
    const plain = { handle: '01234567', secret: '89ABCDEFGHJKMNPQRSTVWXYZ0110' };
    for (const typed of [
      '0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV-WXYZ-0110',
      ' o123 4567 89ab cdef ghjk mnpq rstv wxyz oilo\n',
      '0I23—4567–89abcdefghjkmnpqrstvwxyz0L10',
    ])
      expect(readAppPassword(typed)).toEqual(plain);
  });

  it.each([
    '',
    'seven green bottles',
    '0123-4567',
    '0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV-WXYZ-011',
    '0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV-WXYZ-01100',
    '0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV-WXYZ-011U',
    '0'.repeat(100_000),
  ])('are nothing else: %.60s', (text) => {
    expect(readAppPassword(text)).toBeUndefined();
  });

  it('give values that tell nothing of each other, for one member alone', () => {
    const values = [memberId, other].flatMap((id) => {
      const jti = appPasswordJti(password, id);
      const { privateKey, publicKey } = appPasswordKeyPair(jti);
      return [appPasswordCheck(password, id), jti, privateKey, publicKey].map(toHex);
    });
    expect(new Set(values).size).toBe(8);
    expect(toHex(appPasswordCheck(password, memberId))).toBe(values[0]);
    expect(appPasswordCheck({ ...password, handle: '00000000' }, memberId)).not.toEqual(
      appPasswordCheck(password, memberId),
    );
  });

  it('open what was encrypted for their public key', () => {
    const { publicKey } = appPasswordKeyPair(appPasswordJti(password, memberId));
    const sealed = eciesEncrypt(publicKey, utf8('a mail key'), utf8('context'));
    const again = readAppPassword(writeAppPassword(password).toLowerCase())!;
    const { privateKey } = appPasswordKeyPair(appPasswordJti(again, memberId));
    expect(eciesDecrypt(privateKey, sealed, utf8('context'))).toEqual(utf8('a mail key'));
  });

  it('need a random source that gives enough', () => {
    expectCryptoError(() => generateAppPassword(() => new Uint8Array(7)));
  });
});
