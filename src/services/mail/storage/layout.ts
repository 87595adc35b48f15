import type { Address } from '../message/addresses.ts';

/** How the octets of a message follow one another: from part 0, or a whole segment as base64. */
export type LayoutPiece = { readonly octets: number } | { readonly segment: number };

/** What is kept of a segment beside its part. Segment n is part n + 1. */
export interface LayoutSegment {
  /** bytes, decoded */
  readonly size: number;
  /** characters of a whole line of its base64 */
  readonly width: number;
}

export interface AttachmentEntry {
  readonly filename: string;
  readonly contentType: string;
  /** bytes, decoded */
  readonly size: number;
  readonly contentId?: string;
  readonly inline: boolean;
  /** the segment that is its content; undefined: it is in the octets */
  readonly segment?: number;
  /** its place in a message that was parsed */
  readonly path?: number;
}

/** What can be said of a message without reading its octets again. */
export interface Structure {
  readonly v: 1;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly from: readonly Address[];
  readonly sender?: Address;
  readonly replyTo: readonly Address[];
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly subject: string;
  /** milliseconds since 1970; undefined: it has none that can be read */
  readonly date?: number;
  readonly messageId?: string;
  readonly inReplyTo: readonly string[];
  readonly references: readonly string[];
  readonly attachments: readonly AttachmentEntry[];
  /** of the text and of the HTML, in characters; 0: there is none */
  readonly textLength: number;
  readonly htmlLength: number;
  readonly problems: readonly string[];
}

/** What the key of a content opens first: where the octets are, and what they say. */
export interface Layout {
  readonly v: 1;
  /** keys of the parts, base64 */
  readonly keys: readonly string[];
  /** bytes of part 0 */
  readonly octets: number;
  readonly pieces: readonly LayoutPiece[];
  readonly segments: readonly LayoutSegment[];
  readonly structure: Structure;
}
