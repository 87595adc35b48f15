/** A file of an archive. */
export interface ArchiveFile {
  /** ASCII, without spaces */
  readonly name: string;
  /** bytes */
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** how many of the things that are counted it has */
  readonly things: number;
}
