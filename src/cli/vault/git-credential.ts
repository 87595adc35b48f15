/**
 * What git says to a credential helper and hears from it: lines `name=value`, ended by an empty one
 * (https://git-scm.com/docs/git-credential#IOFMT).
 */
export interface GitCredential {
  readonly protocol: string;
  readonly host: string;
  readonly path: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

export function parseGitCredential(text: string): GitCredential {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    if (line === '') break;
    const equals = line.indexOf('=');
    if (equals < 1) continue;
    const [name, value] = [line.slice(0, equals), line.slice(equals + 1)];
    if (name === 'url') for (const part of partsOf(value)) values.set(...part);
    else values.set(name, value);
  }
  return {
    protocol: values.get('protocol') ?? '',
    host: values.get('host') ?? '',
    path: values.get('path'),
    username: values.get('username'),
    password: values.get('password'),
  };
}

function partsOf(text: string): [string, string][] {
  if (!URL.canParse(text)) return [];
  const url = new URL(text);
  const parts: [string, string][] = [
    ['protocol', url.protocol.replace(/:$/, '')],
    ['host', url.host],
    ['path', url.pathname.replace(/^\//, '')],
    ['username', decodeURIComponent(url.username)],
    ['password', decodeURIComponent(url.password)],
  ];
  return parts.filter(([, value]) => value !== '');
}

/** The address that entries are looked up by; undefined for what no entry can be for, such as a certificate's passphrase. */
export function addressOf({ protocol, host, path }: GitCredential): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*$/i.test(protocol) || host === '') return undefined;
  const address = `${protocol}://${host}${path === undefined ? '' : `/${path}`}`;
  return URL.canParse(address) ? address : undefined;
}

/** @returns undefined where the protocol cannot say it: values end with their lines */
export function formatGitCredential({
  username,
  password,
}: {
  username: string;
  password: string;
}): string | undefined {
  if (/[\n\0]/.test(username + password)) return undefined;
  return `${username === '' ? '' : `username=${username}\n`}password=${password}\n`;
}
