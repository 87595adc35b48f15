import { networkInterfaces } from 'node:os';

/** Names that mean every address of the machine. */
export function isAnyHost(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** The URLs under which a listener can be reached, the one to show first. */
export function urlsOf(host: string, port: number, secure: boolean): [string, ...string[]] {
  const urlOf = (name: string) => `${secure ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
  return isAnyHost(host) ? [urlOf('localhost'), ...ownAddresses(host).map(urlOf)] : [urlOf(host)];
}

/** Those of the machine that others may know; `0.0.0.0` hears no IPv6, and link-local ones mean nothing in a URL. */
function ownAddresses(host: string): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(
      ({ internal, family, address }) =>
        !internal && !address.startsWith('fe80:') && (family === 'IPv4' || host === '::'),
    )
    .map(({ address }) => address);
}
