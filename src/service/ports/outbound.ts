/** How this node reaches addresses that strangers name. Tests replace it, so that a server of their own can be reached. */
export interface Outgoing {
  /** the addresses of a host name. @throws when it has none */
  lookup(hostname: string): Promise<readonly string[]>;
  /** whether the node may connect to an address */
  allows(address: string): boolean;
  /** certificates of authorities, instead of those that Node knows */
  readonly ca: readonly string[] | undefined;
}
