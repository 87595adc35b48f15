import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isCommonPassword } from '../../../src/shared/members/common-passwords.ts';
import { commonWords } from '../../../src/shared/members/common-password-words.ts';
import { CryptoError } from '../../../src/crypto/crypto-error.ts';

// The entries of eight characters and more at the top of the usual lists of leaked passwords.
const leaked = `
  12345678 123456789 1234567890 0123456789 87654321 987654321 0987654321 11111111 00000000 88888888 12341234 12121212
  11223344 123123123 147258369 789456123 1234qwer qwer1234 asdf1234 qwerty12 qwerty123 qwertyuiop qwerty12345
  asdfghjkl zxcvbnm1 1q2w3e4r 1q2w3e4r5t 1qaz2wsx q1w2e3r4 qazwsxedc !qaz2wsx !QAZ@WSX zaq12wsx abcd1234 abc12345
  abc123456 a1b2c3d4 abcdefgh aaaaaaaa asdfasdf password password1 Password1 password123 Password123! PASSWORD
  p@ssw0rd P@ssw0rd P@$$w0rd passw0rd passw0rd1 passwort motdepasse letmein1 letmein! welcome1 Welcome123
  welcome2024! changeme Changeme1 admin123 admin1234 Admin@123 administrator root1234 test1234 testtest iloveyou
  iloveyou1 princess princess1 sunshine football football1 baseball basketball superman batman123 starwars pokemon1
  trustno1 monkey123 dragon12 master123 michael1 jennifer charlie1 jordan23 computer internet corvette mustang1
  liverpool arsenal1 summer2023 Winter2024! January1 november 1password 123456abc chocolate butterfly whatever
  fuckyou1 blink182 mypassword secret123 qwerty!@# 19850312 31121999
`
  .trim()
  .split(/\s+/u);

describe('common passwords', () => {
  it.each(leaked)('%s', async (password) => {
    expect(await isCommonPassword(password)).toBe(true);
    expect(await isCommonPassword(password.toUpperCase())).toBe(true);
  });

  it('are seen in every Unicode form', async () => {
    expect(await isCommonPassword('ｐａｓｓｗｏｒｄ１')).toBe(true);
    expect(await isCommonPassword('contrasen\u0303a')).toBe(true);
  });

  it.each([
    'correct horse battery staple gun',
    'plum-kettle-orbit-7',
    'Tr0ub4dor&3x9',
    'vK7#pQ2m',
    'my dog eats 14 shoes',
    'dragonwagonlagoon',
    'password for the shed',
    'hunter-gatherer-90210',
    'Größe-Fluß-Öl',
    '密码不是这个东西吧',
    '13579024681',
    'aaaabbbbccccd',
  ])('are not: %s', async (password) => {
    expect(await isCommonPassword(password)).toBe(false);
  });

  it('are not what a generator makes', async () => {
    for (let round = 0; round < 200; round += 1) {
      expect(await isCommonPassword(randomBytes(9).toString('base64url'))).toBe(false);
    }
  });

  it('are thousands, in the form in which they are looked up', () => {
    expect(commonWords.size).toBeGreaterThan(2000);
    for (const word of commonWords) expect(word).toBe(word.normalize('NFKC').toLowerCase());
  });

  it('are looked up in passwords of every length', async () => {
    for (const text of ['1'.repeat(4096), 'qwe'.repeat(1000), '123abc'.repeat(600), 'x1!'.repeat(1000)])
      expect(typeof (await isCommonPassword(text))).toBe('boolean');
  });

  it('refuse text that no password may be', async () => {
    await expect(isCommonPassword('\ud800password')).rejects.toBeInstanceOf(CryptoError);
  });
});
