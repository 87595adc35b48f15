import { fromHex } from '../../crypto/bytes.ts';
import { Problem } from '../../base/problem.ts';
import { parsedUrl } from '../../base/parsed-url.ts';

/** A share link, taken apart. */
export interface LinkAddress {
  /** of the node, with the path that a proxy adds */
  readonly server: URL;
  readonly token: string;
  /** the private key behind the #, 32 bytes */
  readonly key: Uint8Array | undefined;
}

/**
 * @param text `https://host/s/<token>`, with `#<key>` for a link that carries its key
 * @throws Problem invalid INPUT_INVALID; the message never holds the link, which is a secret
 */
export function parseLink(text: string): LinkAddress {
  const written = text.trim();
  const server = parsedUrl(written);
  if (server === undefined) throw invalid('It begins with https:// and has /s/ in it.');
  const { hash, pathname, protocol, username, password } = server;
  const [, before, token] = /^(.*)\/s\/([A-Za-z0-9_-]{16,200})\/?$/.exec(pathname) ?? [];
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '' || before === undefined || token === undefined)
    throw invalid('It begins with https:// and has /s/ in it.');
  server.hash = '';
  server.search = '';
  server.pathname = before;
  return { server, token, key: keyIn(hash.slice(1)) };
}

function keyIn(fragment: string): Uint8Array | undefined {
  if (fragment === '') return undefined;
  const key = Buffer.from(fragment, 'base64url');
  if (key.length !== 32 || key.toString('base64url') !== fragment)
    throw invalid('What is behind its # is not a whole key. Was the link cut off?');
  return fromHex(key.toString('hex'));
}

function invalid(why: string): Problem {
  return new Problem('invalid', 'INPUT_INVALID', `This is not a whole share link. ${why}`);
}
