import PostalMime from 'postal-mime';
import { fieldText } from './charset.ts';
import { cleanFilename } from './clean.ts';
import { messageIdFrom } from './message-ids.ts';
import { contentOf, contentSize, segmentOf, type PartContent } from './part-content.ts';
import type { Segment } from './segments.ts';
import { structureOf, type Leaf } from './structure.ts';

export interface ParsedAttachment {
  /** a name without a path, of 1 to 255 octets */
  readonly filename: string;
  /** lower case, without parameters */
  readonly contentType: string;
  /** without <> */
  readonly contentId?: string;
  /** it is meant to be shown in the text */
  readonly inline: boolean;
  /** decoded bytes */
  readonly size: number;
  /** its content is that of this segment */
  readonly segment?: number;
  /** by which `attachmentContent` finds it; below 0 for a segment that stands in no part */
  readonly path: number;
}

export interface Context {
  /** as `skeletonOf` got it */
  readonly nonce: string;
  readonly segments: readonly Segment[];
}

/** What is looked at of a skeleton. Messages have less, since large contents aren't in it. */
export const MOST_SKELETON = 32 * 1024 * 1024;

const wellFormedType = /^[a-z0-9!#$&^_.+-]{1,63}\/[a-z0-9!#$&^_.+-]{1,63}$/;

const endings: Readonly<Record<string, string>> = {
  'message/rfc822': '.eml',
  'text/calendar': '.ics',
  'text/html': '.html',
  'text/plain': '.txt',
};

/** @param charset of the message, for what its header fields do not say */
export async function attachmentFrom(
  leaf: Leaf,
  content: PartContent,
  segments: readonly Segment[],
  charset?: string,
): Promise<ParsedAttachment> {
  const contentType = wellFormedType.test(leaf.type.value) ? leaf.type.value : 'application/octet-stream';
  const contentId = leaf.contentId === undefined ? undefined : messageIdFrom(fieldText(leaf.contentId));
  const segment = segmentOf(content);
  return {
    filename: cleanFilename(
      await filenameOf(leaf, charset),
      `attachment-${leaf.path + 1}${endings[contentType] ?? ''}`,
    ),
    contentType,
    ...(contentId !== undefined && { contentId }),
    inline: leaf.disposition.value === 'inline' || (leaf.disposition.value === '' && contentId !== undefined),
    size: contentSize(content, segments),
    ...(segment !== undefined && { segment }),
    path: leaf.path,
  };
}

/** A segment that stands in no part that was found: in a part too many, or after the end. Its path is below 0, whatever was found. */
export function lostAttachment(segment: number, { size }: Segment): ParsedAttachment {
  const filename = `attachment-${segment + 1}`;
  return { filename, contentType: 'application/octet-stream', inline: false, size, segment, path: -1 - segment };
}

/** Names have many encodings, which the parser knows. It gets the parameters alone, with values that make every part an attachment. */
async function filenameOf({ type, disposition }: Leaf, charset: string | undefined): Promise<string> {
  if (type.rest === '' && disposition.rest === '') return '';
  const fields = [
    `Content-Type: application/octet-stream;${fieldText(type.rest, charset)}`,
    `Content-Disposition: attachment;${fieldText(disposition.rest, charset)}`,
  ];
  try {
    const { attachments } = await PostalMime.parse(`${fields.join('\r\n')}\r\n\r\n`);
    return attachments[0]?.filename ?? '';
  } catch {
    return '';
  }
}

/** @param path as in `ParsedAttachment`. @returns undefined if there is no such part */
export function attachmentContent(
  skeleton: Uint8Array,
  path: number,
  { nonce, segments }: Context,
): PartContent | undefined {
  const segment = -1 - path;
  if (path < 0) return segments[segment] === undefined ? undefined : { pieces: [{ segment }], encoding: 'base64' };
  const octets = Buffer.from(skeleton.buffer, skeleton.byteOffset, Math.min(skeleton.length, MOST_SKELETON));
  const leaf = structureOf(octets).leaves[path];
  return leaf && contentOf(octets, leaf, nonce);
}
