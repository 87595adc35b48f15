/** What lies between nodes in processes of their own, and can be cut and mended. */
export interface Wires extends AsyncDisposable {
  /** real networks, in which what is cut falls silent; or connections through this process, which are closed */
  readonly kind: 'namespaces' | 'links';
  /** Makes a place for a machine with this name. */
  place(name: string): Promise<Place>;
  /** Says which process is the machine now. */
  know(name: string, pid: number): void;
  /** Only machines of one group reach each other from now on. A machine in no group reaches nobody. */
  part(...groups: readonly (readonly string[])[]): Promise<void>;
  mend(): Promise<void>;
}

export interface Place {
  /** host and port on which the machine is to listen */
  readonly listen: string;
  /** where other machines reach it */
  readonly address: string;
  /** the words before a command that is to run there */
  readonly prefix: readonly string[];
}
