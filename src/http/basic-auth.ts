import type { Operation } from '../contract/operation.ts';

/** Programs that know only a name and a password (RFC 7617) sign in with an app password. */

const scheme = /^basic(?:\s+|$)/i;
const fatalUtf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Whether the request signs in with `Basic`. App passwords can call only operations with a scope; at others that need a sign-in a right one
 * is told so, instead of that it is wrong.
 */
export function presentsBasic(op: Operation, authorization: string | null): authorization is string {
  const isChecked = op.scope !== undefined || (op.auth !== 'none' && op.auth !== 'optional');
  return isChecked && authorization !== null && scheme.test(authorization);
}

/** The name and the password. Anything that is not well-formed becomes an empty text, which is no password. */
export function basicCredentials(authorization: string): { readonly username: string; readonly password: string } {
  const text = decoded(authorization.replace(scheme, ''));
  const colon = text.indexOf(':');
  return colon === -1
    ? { username: '', password: '' }
    : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** A client that sent `Basic` is asked for it again, so that it asks its person for another password. */
export function challengeFor(op: Operation, request: Request): string {
  const isBasic = op.scope !== undefined && presentsBasic(op, request.headers.get('authorization'));
  return isBasic ? 'Basic realm="conclave", charset="UTF-8"' : 'Bearer';
}

function decoded(base64: string): string {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64.trim())) return '';
  try {
    return fatalUtf8.decode(Buffer.from(base64, 'base64'));
  } catch {
    return '';
  }
}
