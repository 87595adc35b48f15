import { WrongValue, type Kind } from './kinds.ts';
import { parsedUrl } from '../base/parsed-url.ts';

/** The secret part of the configuration. It is separate from `Config`, so that code that prints or logs a configuration never has it. */
export interface Secrets {
  readonly databasePassword: string | undefined;
}

interface DatabaseUrl {
  /** without the password */
  readonly location: string;
  readonly password: string | undefined;
}

/** Splits a PostgreSQL URL into the URL and its password, so that the password is never passed on with the URL. */
export const databaseLocation: Kind<DatabaseUrl> = {
  parse(raw) {
    const url = typeof raw === 'string' ? parsedUrl(raw) : undefined;
    if (url === undefined || !/^postgres(?:ql)?:$/.test(url.protocol)) {
      throw new WrongValue('must be a URL such as postgres://user@host:5432/database');
    }
    const inQuery = url.searchParams.get('password');
    let password: string | undefined;
    try {
      password = inQuery ?? (url.password === '' ? undefined : decodeURIComponent(url.password));
    } catch {
      throw new WrongValue('has a password that is not percent-encoded: write % as %25 and @ as %40');
    }
    url.searchParams.delete('password');
    url.password = '';
    return { location: url.href, password };
  },
  show: (value) => value.location,
};

/** The URL to connect with, including the password. It exists only in memory: never log it, show it or pass it to another process. */
export function databaseUrl(location: string, secrets: Secrets): string {
  const url = new URL(location);
  if (secrets.databasePassword !== undefined) url.password = encodeURIComponent(secrets.databasePassword);
  return url.href;
}
