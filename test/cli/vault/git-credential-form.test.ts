import { describe, expect, it } from 'vitest';
import { addressOf, formatGitCredential, parseGitCredential } from '../../../src/cli/vault/git-credential.ts';

describe("git's credentials", () => {
  it('are lines until an empty one; what is not known is left out', () => {
    const text =
      'capability[]=authtype\nprotocol=https\nhost=git.example:8443\npath=a/b.git\nusername=al=ice\nwwwauth[]=Basic\n\nhost=evil\n';
    const credential = parseGitCredential(text);
    expect(credential).toEqual({
      protocol: 'https',
      host: 'git.example:8443',
      path: 'a/b.git',
      username: 'al=ice',
      password: undefined,
    });
    expect(addressOf(credential)).toBe('https://git.example:8443/a/b.git');
  });

  it('come as a URL as well', () => {
    expect(parseGitCredential('url=https://al%40ice:pw@git.example/x.git\n')).toEqual({
      protocol: 'https',
      host: 'git.example',
      path: 'x.git',
      username: 'al@ice',
      password: 'pw',
    });
  });

  it('have no address where there is no host, as for certificates', () => {
    expect(addressOf(parseGitCredential('protocol=cert\npath=/x.pem\n'))).toBeUndefined();
    expect(addressOf(parseGitCredential('protocol=ht tp\nhost=x\n'))).toBeUndefined();
  });

  it('are answered without what the protocol cannot say', () => {
    expect(formatGitCredential({ username: 'a', password: ' b=c ' })).toBe('username=a\npassword= b=c \n');
    expect(formatGitCredential({ username: '', password: 'b' })).toBe('password=b\n');
    expect(formatGitCredential({ username: 'a', password: 'b\nquit=1' })).toBeUndefined();
  });
});
