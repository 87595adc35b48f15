import type { Folder } from '../../../contract/filevault/fields.ts';

/** Content that can be sent: a file of this machine, or one of a server. */
export interface Content {
  /** what people call it */
  readonly label: string;
  readonly size: number;
  /** milliseconds since 1970 */
  readonly modifiedAt: number;
  /** when anything of it last changed, in milliseconds since 1970: some programs write and leave `modifiedAt` as it was */
  readonly changedAt: number;
  /** whether a range can be read twice at little cost */
  readonly rereads: boolean;
  pieces(start: number, end: number): AsyncIterable<Uint8Array>;
  /** @throws Problem conflict NOTHING_CHANGED if it is not what it was when it was found */
  assertUnchanged(): Promise<void>;
}

/** Content, and where it goes. */
export interface Outgoing extends Content {
  readonly name: string;
  readonly folder: Pick<Folder, 'id' | 'vaultContainerId'>;
  /** a file that gets a new version */
  readonly replaces: string | undefined;
  readonly mimeType?: string;
}
