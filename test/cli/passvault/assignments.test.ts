import { describe, expect, it } from 'vitest';
import { parseAssignment } from '../../../src/cli/passvault/entries/assignments.ts';

const known = (property: string) => ({ kind: 'known', property, label: expect.any(String) });

describe('assignments', () => {
  it.each([
    ['username=alice=b', known('username'), { kind: 'value', value: 'alice=b' }],
    ['user=', known('username'), { kind: 'value', value: '' }],
    ['url=https://x.example/?a[b]=c', known('siteUrl'), { kind: 'value', value: 'https://x.example/?a[b]=c' }],
    ['password[generate]', known('password'), { kind: 'generate', recipe: {} }],
    ['password[generate=32]', known('password'), { kind: 'generate', recipe: { length: 32 } }],
    ['password[generate=words]', known('password'), { kind: 'generate', recipe: { words: 6 } }],
    ['password[generate=8words]', known('password'), { kind: 'generate', recipe: { words: 8 } }],
    ['password', known('password'), { kind: 'prompt' }],
    ['totp[prompt]', known('totpSecret'), { kind: 'prompt' }],
    ['password[file]=-', known('password'), { kind: 'file', path: '-' }],
    ['notes[delete]', known('notes'), { kind: 'delete' }],
    ['tags=a,b', { kind: 'tags' }, { kind: 'value', value: 'a,b' }],
    ['favorite=yes', { kind: 'favorite' }, { kind: 'value', value: 'yes' }],
    ['Account[text]=4711', { kind: 'custom', hidden: false }, { kind: 'value', value: '4711' }],
    ['PIN[hidden]', { kind: 'custom', hidden: true }, { kind: 'prompt' }],
    ['API key[hidden,generate=40]', { kind: 'custom', hidden: true }, { kind: 'generate', recipe: { length: 40 } }],
    ['PIN[hidden,file]=pin.txt', { kind: 'custom', hidden: true }, { kind: 'file', path: 'pin.txt' }],
  ])('%s', (text, target, source) => {
    expect(parseAssignment(text, 'login')).toEqual({ name: expect.any(String), target, source });
  });

  it.each([
    ['password=hunter2', ['password[prompt]', 'password[generate]', 'password[file]=PATH']],
    ['PIN[hidden]=hunter2', ['PIN[hidden,prompt]', 'PIN[hidden,generate]', 'PIN[hidden,file]=PATH']],
    ['PIN[file]=pin.txt', ['PIN[hidden]', 'PIN[hidden,file]=PATH', 'PIN[text,file]=PATH']],
  ])('%s is answered with forms that work', (text, forms) => {
    let message = '';
    try {
      parseAssignment(text, 'login');
    } catch (error) {
      message = (error as Error).message;
    }
    for (const form of forms) {
      expect(message).toContain(`'${form}'`);
      expect(parseAssignment(form, 'login')).toMatchObject({ name: form.replace(/\[.*/, '') });
    }
  });

  it.each(['password=hunter2', 'totp-secret=hunter2', 'PIN[hidden]=hunter2'])('%s is refused as a secret', (text) => {
    expect(() => parseAssignment(text, 'login')).toThrow(
      expect.objectContaining({ code: 'SECRET_AS_ARGUMENT', message: expect.not.stringContaining('hunter2') }),
    );
  });

  it.each([
    'usrname=hunter2',
    'cvv[prompt]',
    '=hunter2',
    'username',
    'password[generate]=hunter2',
    'password[generate=many]',
    'password[nonsense]',
    'password[file]',
    'password[file]=',
    'notes[delete]=hunter2',
    'tags[generate]',
    'a[text,hidden]=x',
    'password[prompt,generate]',
  ])('%s is refused', (text) => {
    expect(() => parseAssignment(text, 'login')).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.not.stringContaining('hunter2') }),
    );
  });

  it('know the fields that an entry has of its own', () => {
    const existing = { customFields: [{ name: 'Account', value: 'x', hidden: false }] };
    expect(() => parseAssignment('Account[file]=x', 'login')).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(parseAssignment('Account[file]=x', 'login', existing)).toMatchObject({
      target: { kind: 'custom', hidden: false },
    });
    expect(parseAssignment('Account=y', 'login', existing).source).toEqual({ kind: 'value', value: 'y' });
  });

  it('go by the type of the entry', () => {
    expect(parseAssignment('number[prompt]', 'credit_card').target).toEqual(known('cardNumber'));
    expect(() => parseAssignment('username=x', 'secure_note')).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
