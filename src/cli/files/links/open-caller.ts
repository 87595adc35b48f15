import { remoteTransport } from '../../../client/http-transport.ts';
import { isLoopback, serverName } from '../../../client/server-address.ts';
import { parseLink } from '../../../client/filevault/link-address.ts';
import type { LinkCaller } from '../../../client/filevault/link-info.ts';
import { secretReader, variableOf } from '../../kit/secrets.ts';
import type { Terminal } from '../../kit/terminal.ts';

export interface LinkedCaller {
  readonly caller: LinkCaller;
  /** behind the # */
  readonly key: Uint8Array | undefined;
  /** whether passwords would travel unencrypted */
  readonly isExposed: boolean;
}

/** @param word the link, or `-` */
export async function linkArgument(terminal: Terminal, word: string): Promise<string> {
  if (word !== '-') return word;
  return (await secretReader(terminal).read('link', '-', variableOf('link'))) ?? '';
}

/** Nobody has to be signed in: the link is all that it takes, and no token is sent. @throws Problem invalid INPUT_INVALID, CA_INVALID */
export async function openLinkCaller(
  text: string,
  { userAgent, ca }: { readonly userAgent: string; readonly ca: string | undefined },
): Promise<LinkedCaller> {
  const { server, token, key } = parseLink(text);
  const trust = ca === undefined ? undefined : await (await import('../../../client/trust.ts')).readTrust(ca);
  const caller = { transport: remoteTransport(server, trust), place: serverName(server), userAgent, token };
  return { caller, key, isExposed: server.protocol === 'http:' && !isLoopback(server) };
}
