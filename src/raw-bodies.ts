/** What raw operations get and give. Services below http/ see neither a request nor a response. */

/** The hashes of a content by which it is known to be whole (RFC 9530). */
export interface Digests {
  /** 32 bytes */
  readonly sha256?: Uint8Array | undefined;
  /** 64 bytes */
  readonly sha512?: Uint8Array | undefined;
}

/** A body that comes. It is read once, piece by piece: what isn't read yet waits at the client. */
export interface Upload {
  /** media type without parameters, in lower case, one of those that the operation accepts; '' without a body */
  readonly type: string;
  /** where the client said it beforehand */
  readonly size: number | undefined;
  /** what the client says that the content is; it has been compared when the reading comes to its end */
  readonly digests: Digests;
  /**
   * Keep nothing before its end: what is thrown there says that the content isn't what was meant.
   * @throws Problem tooLarge PAYLOAD_TOO_LARGE, invalid REQUEST_TIMEOUT, DIGEST_MISMATCH, VALIDATION_ERROR when it breaks off
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** From `start` to before `end`, in bytes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Content that is read while it goes out, no faster than the client takes it. */
export interface Content {
  /** bytes of the whole */
  readonly size: number;
  /** Each call reads anew. What it yields is not changed afterwards. */
  read(range: ByteRange): AsyncIterable<Uint8Array>;
}

/** What goes out. Text and bytes are for what is small; they count against the bytes of whoever asked. */
export interface Download {
  /** media type */
  readonly type: string;
  readonly content: string | Uint8Array<ArrayBuffer> | Content;
  /** of the whole content, where they are known; of text and bytes SHA-256 is made */
  readonly digests?: Digests;
  /** what names this content and no other, without quotes: with it a client can go on where it was cut off */
  readonly version?: string;
  /** under which browsers keep it */
  readonly filename?: string;
  /** browsers show it instead of keeping it */
  readonly inline?: boolean;
  /** names in lower case */
  readonly headers?: Readonly<Record<string, string>>;
}
