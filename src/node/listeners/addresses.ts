import { networkInterfaces } from 'node:os';

/** Whether a host name stands for every address of the machine. */
export function isAnyHost(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** The URLs under which a listener can be reached. The first one is for display. */
export function urlsOf(host: string, port: number, secure: boolean): [string, ...string[]] {
  const urlOf = (name: string) => `${secure ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
  return isAnyHost(host) ? [urlOf('localhost'), ...ownAddresses(host).map(urlOf)] : [urlOf(host)];
}

/** The machine's addresses that others can use. `0.0.0.0` accepts no IPv6, and link-local addresses mean nothing in a URL. */
function ownAddresses(host: string): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(
      ({ internal, family, address }) =>
        !internal && !address.startsWith('fe80:') && (family === 'IPv4' || host === '::'),
    )
    .map(({ address }) => address);
}
