import { describe, expect, it } from 'vitest';
import { assertStrongPassword } from '../../../src/shared/members/password-rules.ts';

const names = ['Alice-W', 'alice.white@example.org'];

async function verdict(password: string, of: readonly string[] = names): Promise<string> {
  try {
    await assertStrongPassword('newPassword', password, of);
    return 'strong';
  } catch (error) {
    expect(error).toMatchObject({
      kind: 'invalid',
      code: 'PASSWORD_WEAK',
      fields: [{ path: 'newPassword', message: expect.any(String) }],
    });
    expect((error as Error).message).not.toContain(password);
    return 'weak';
  }
}

describe('the rules for passwords', () => {
  it.each([
    ['eight characters', 'q8#kfwmz', 'strong'],
    ['seven characters', 'q8#kfwm', 'weak'],
    ['characters, not UTF-16 units', '🦊🐻🐼🐨🐯🦁🐮', 'weak'],
    ['256 characters', 'long enough '.repeat(22).slice(0, 256), 'strong'],
    ['257 characters', 'long enough '.repeat(22).slice(0, 257), 'weak'],
    ['256 characters that NFKC makes more of', 'ﬃ'.repeat(100), 'weak'],
    ['seven characters that NFKC makes eight of', 'q8kfwmﬁ', 'strong'],
    ['a common password', 'password1', 'weak'],
    ['a common password in another case', 'PassWord1', 'weak'],
    ['a common password in full width', 'ｐａｓｓｗｏｒｄ１', 'weak'],
    ['the e-mail address', 'alice.white@example.org', 'weak'],
    ['the e-mail address in another case', 'Alice.White@EXAMPLE.org', 'weak'],
    ['the part before the @', 'alice.white', 'weak'],
    ['a name and a year', 'alice.white2024', 'weak'],
    ['a name twice', 'alice-walice-w', 'weak'],
    ['a name in a sentence', 'alice.white rides a horse', 'strong'],
    ['spaces and other scripts', 'пароль без слов', 'strong'],
  ])('%s', async (_, password, expected) => {
    expect(await verdict(password)).toBe(expected);
  });

  it('count the username too', async () => {
    expect(await verdict('Wintermute', ['wintermute', 'w@example.org'])).toBe('weak');
    expect(await verdict('wintermute99', ['Wintermute', 'w@example.org'])).toBe('weak');
  });

  it('let short names stand inside of a password', async () => {
    expect(await verdict('correct staple', ['cor', 'c@example.org'])).toBe('strong');
  });
});
