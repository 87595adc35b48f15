import { describe, expect, it } from 'vitest';
import { formatGitCredential, parseGitCredential } from '../../../src/cli/passvault/git/git-credential.ts';
import { isAt, placeOf } from '../../../src/cli/passvault/git/git-place.ts';

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
    expect(placeOf(credential)?.address).toBe('https://git.example:8443/a/b.git');
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
    expect(placeOf(parseGitCredential('protocol=cert\npath=/x.pem\n'))).toBeUndefined();
    expect(placeOf(parseGitCredential('protocol=ht tp\nhost=x\n'))).toBeUndefined();
  });

  it('are answered without what the protocol cannot say', () => {
    expect(formatGitCredential({ username: 'a', password: ' b=c ' })).toBe('username=a\npassword= b=c \n');
    expect(formatGitCredential({ username: '', password: 'b' })).toBe('password=b\n');
    expect(formatGitCredential({ username: 'a', password: 'b\nquit=1' })).toBeUndefined();
    expect(formatGitCredential({ username: 'a\rhost=b', password: 'c' })).toBeUndefined();
    expect(formatGitCredential({ username: 'a', password: 'b\0c' })).toBeUndefined();
  });

  it('end their lines as git reads them, and broken escapes are no address', () => {
    expect(parseGitCredential('protocol=https\r\nhost=git.example\r\n\r\nhost=evil\n')).toMatchObject({
      host: 'git.example',
    });
    expect(parseGitCredential('url=https://a%ff@git.example/\n')).toMatchObject({ host: '' });
  });
});

const place = (lines: string) => placeOf(parseGitCredential(lines));
const isFor = (uri: string, lines: string) => {
  const wanted = place(lines);
  return wanted !== undefined && isAt(wanted, { uri, match: 'domain' });
};

describe('a place that git names', () => {
  it.each([
    ['https://github.com', 'protocol=https\nhost=github.com\n'],
    ['github.com', 'protocol=https\nhost=github.com\n'],
    ['https://GitHub.com/login?next=1', 'protocol=https\nhost=github.com\n'],
    ['https://github.com', 'protocol=https\nhost=GitHub.com:443\n'],
    ['https://git.example:8443', 'protocol=https\nhost=git.example:8443\n'],
    ['https://github.com/org/repo.git', 'protocol=https\nhost=github.com\npath=org/repo.git\n'],
    ['https://github.com/a%20b/c%3Fd', 'protocol=https\nhost=github.com\npath=a b/c?d\n'],
    ['https://[::1]:8443', 'protocol=https\nhost=[::1]:8443\n'],
    ['https://bücher.example', 'protocol=https\nhost=bücher.example\n'],
    ['https://xn--bcher-kva.example', 'protocol=https\nhost=bücher.example\n'],
    ['smtp://mail.example:587', 'protocol=smtp\nhost=mail.example:587\n'],
  ])('%s is at %j', (uri, lines) => {
    expect(isFor(uri, lines)).toBe(true);
  });

  it.each([
    ['https://github.com', 'protocol=https\nhost=gist.github.com\n'],
    ['https://gist.github.com', 'protocol=https\nhost=github.com\n'],
    ['https://github.com', 'protocol=http\nhost=github.com\n'],
    ['http://github.com', 'protocol=https\nhost=github.com\n'],
    ['github.com', 'protocol=http\nhost=github.com\n'],
    ['https://github.com', 'protocol=https\nhost=github.com:8443\n'],
    ['https://github.com:8443', 'protocol=https\nhost=github.com\n'],
    ['https://github.com', 'protocol=https\nhost=github.com.\n'],
    ['https://github.com', 'protocol=https\nhost=github.com.evil.com\n'],
    ['https://github.com', 'protocol=https\nhost=ｇｉｔｈｕｂ.com\n'],
    ['http://127.0.0.1', 'protocol=http\nhost=0x7f.1\n'],
    ['https://github.com/org/other', 'protocol=https\nhost=github.com\npath=org/repo\n'],
    ['https://github.com', 'protocol=https\nhost=github.com\npath=org/repo\n'],
    ['javascript:alert(1)', 'protocol=https\nhost=alert\n'],
  ])('%s is not at %j', (uri, lines) => {
    expect(isFor(uri, lines)).toBe(false);
  });

  it.each([
    'github.com/.evil.com',
    'github.com#.evil.com',
    'github.com?.evil.com',
    'github.com\\.evil.com',
    'github.com@evil.com',
    'evil.com@github.com',
    'github.com evil.com',
    'github.com\t.evil.com',
    'github.com\u0000.evil.com',
    'github.com%2eevil.com',
    'github.com:443:443',
    'github.com:0443',
    'github.com:99999',
    'github.com:',
    '',
    '[::1',
  ])('cannot have the host %j', (host) => {
    expect(place(`protocol=https\nhost=${host}\n`)).toBeUndefined();
  });

  it('never is where an entry says never', () => {
    expect(isAt(place('protocol=https\nhost=a.example\n')!, { uri: 'https://a.example', match: 'never' })).toBe(false);
  });
});
