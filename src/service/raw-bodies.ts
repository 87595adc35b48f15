/** Input and output of raw operations. Services outside of http/ never see the HTTP request or response itself. */

/** Hashes of a content (RFC 9530), to check that it arrived complete and unchanged. */
export interface Digests {
  /** 32 bytes */
  readonly sha256?: Uint8Array | undefined;
  /** 64 bytes */
  readonly sha512?: Uint8Array | undefined;
}

/** An incoming body. It can be read once, piece by piece; the client waits with the parts that are not read yet. */
export interface Upload {
  /** media type without parameters, in lower case; always one that the operation accepts, or '' without a body */
  readonly type: string;
  /** the length in bytes, if the client declared it */
  readonly size: number | undefined;
  /** the client's hashes of the content; the end of the reading compares them with the content */
  readonly digests: Digests;
  /**
   * Keep nothing before the end of the body: an error there means that the content is not what the client meant to send.
   * @throws Problem tooLarge PAYLOAD_TOO_LARGE, invalid REQUEST_TIMEOUT, DIGEST_MISMATCH, VALIDATION_ERROR when it breaks off
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** A range in bytes; `end` is exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Content that is read while it is sent, no faster than the client receives it. */
export interface Content {
  /** size of the whole content in bytes */
  readonly size: number;
  /** Each call reads from the start. The yielded bytes are not changed afterwards. */
  read(range: ByteRange): AsyncIterable<Uint8Array>;
}

/** Content whose size nobody knows before its end, such as a long list. It can't be asked for in parts. */
export interface Flow {
  /** Each call begins at the start. The yielded bytes are not changed afterwards. */
  flow(): AsyncIterable<Uint8Array>;
}

/** A reply body. Text and bytes are only for small content; they count against the caller's limit of bytes in memory. */
export interface Download {
  /** media type */
  readonly type: string;
  readonly content: string | Uint8Array<ArrayBuffer> | Content | Flow;
  /** hashes of the whole content, if they are known; for text and bytes, SHA-256 is computed */
  readonly digests?: Digests;
  /** a unique name of this content (ETag without quotes); with it a client can resume an interrupted download */
  readonly version?: string;
  /**
   * Called once before the first byte, and never if none is sent: for HEAD, for content that the client has, for a range outside of it. Its
   * result are more headers. @throws Problem instead of the answer
   */
  opening?(range: ByteRange): Promise<Readonly<Record<string, string>>>;
  /** a range is answered with everything: each answer is another content */
  readonly whole?: true;
  /** the file name under which browsers save it */
  readonly filename?: string;
  /** browsers show it instead of saving it */
  readonly inline?: boolean;
  /** header names in lower case */
  readonly headers?: Readonly<Record<string, string>>;
}
