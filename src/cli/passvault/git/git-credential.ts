import { parsedUrl } from '../../../base/parsed-url.ts';

/**
 * The messages between git and a credential helper: lines `name=value`, ended by an empty line
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
  for (const ended of text.split('\n')) {
    // git also ignores a carriage return at the end of a line.
    const line = ended.replace(/\r$/, '');
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
  const url = parsedUrl(text);
  if (url === undefined) return [];
  // A user name or password that is not UTF-8 cannot be in an entry.
  if ([url.username, url.password].some((part) => !isDecodable(part))) return [];
  const parts: [string, string][] = [
    ['protocol', url.protocol.replace(/:$/, '')],
    ['host', url.host],
    ['path', url.pathname.replace(/^\//, '')],
    ['username', decodeURIComponent(url.username)],
    ['password', decodeURIComponent(url.password)],
  ];
  return parts.filter(([, value]) => value !== '');
}

function isDecodable(part: string): boolean {
  try {
    return decodeURIComponent(part) !== undefined;
  } catch {
    return false;
  }
}

/** @returns undefined if a value contains a line end, which the protocol cannot express */
export function formatGitCredential({
  username,
  password,
}: {
  username: string;
  password: string;
}): string | undefined {
  if (/[\r\n\0]/.test(username + password)) return undefined;
  return `${username === '' ? '' : `username=${username}\n`}password=${password}\n`;
}
