import { contentTypeOf } from '../../../shared/attachments/content-type.ts';
import { imageTypeOf } from '../../../shared/attachments/images/image-type.ts';
import type { Pixels, Sides, Thumbnail } from '../../../base/pixels.ts';
import { Problem } from '../../../base/problem.ts';
import { windows1252 } from '../../../base/windows-1252.ts';
import { escapeLinesForTerminal } from '../escape-for-terminal.ts';
import { bytes } from '../screen.ts';

/** How much of a text is shown; nobody reads more on a terminal. */
const LONGEST_TEXT = 256 * 1024;
/** All of a picture has to be here to be decoded. */
const LARGEST_PICTURE = 64 * 1024 ** 2;

/** A file that somebody wants to look at, with what is said of it. */
export interface Viewed {
  readonly name: string;
  /** bytes */
  readonly size: number;
  /** as its sender calls it; what it is, its content says */
  readonly type?: string | undefined;
  /** Gives its content to `take`, once. What `take` leaves is not waited for. @param signal ends it */
  read<T>(take: (content: AsyncIterable<Uint8Array>) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** What there is to see of a file. */
export type Preview =
  | { readonly kind: 'text'; readonly type: string; readonly text: string; readonly isWhole: boolean }
  | { readonly kind: 'picture'; readonly type: string; readonly sides: Sides; readonly pixels: Pixels }
  | Hidden;

interface Hidden {
  readonly kind: 'hidden';
  /** what its content shows, if that is a type that this program knows */
  readonly type: string | undefined;
  /** of a picture, if it says so */
  readonly sides: Sides | undefined;
  /** a sentence */
  readonly why: string;
}

/**
 * Finds out what a file is by its content, and reads as much of it as can be shown.
 * @param signal ends it, also while a picture is decoded
 * @throws Problem as `read` does; the reason of `signal`
 */
export async function previewOf(file: Viewed, signal?: AbortSignal): Promise<Preview> {
  const { head, isWhole } = await file.read(async (content) => await beginning(content), signal);
  signal?.throwIfAborted();
  const [picture, known] = [imageTypeOf(head), contentTypeOf(head)];
  const begun = head.subarray(0, LONGEST_TEXT);
  const isPart = !isWhole || begun.length < head.length;
  // A PDF may be all of ASCII. Otherwise, a text may begin as if it was something else: with GIF89a, or ID3.
  const text = known === 'application/pdf' ? undefined : textOf(begun, isPart, picture ?? known);
  if (text !== undefined) return { kind: 'text', type: 'text/plain', text, isWhole: !isPart };
  if (picture !== undefined) return await pictureOf(file, picture, isWhole ? head : undefined, signal);
  const type = known ?? (file.type === 'application/octet-stream' ? undefined : file.type);
  const words = `${file.name} is no text and no picture that can be shown here`;
  return { kind: 'hidden', type: known, sides: undefined, why: `${words}${type === undefined ? '' : ` (${type})`}.` };
}

/** All of a picture, and of anything else the beginning. */
async function beginning(content: AsyncIterable<Uint8Array>): Promise<{ head: Buffer; isWhole: boolean }> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  let most: number | undefined;
  for await (const piece of content) {
    pieces.push(piece);
    size += piece.length;
    if (most === undefined && size > LONGEST_TEXT)
      most = imageTypeOf(Buffer.concat(pieces)) === undefined ? LONGEST_TEXT : LARGEST_PICTURE;
    if (most !== undefined && size > most) return { head: Buffer.concat(pieces), isWhole: false };
  }
  return { head: Buffer.concat(pieces), isWhole: true };
}

/** @param image undefined if it is too large */
async function pictureOf(
  { name }: Viewed,
  type: string,
  image: Uint8Array | undefined,
  signal: AbortSignal | undefined,
): Promise<Preview> {
  const found = image === undefined ? tooLarge : await thumbnail(image, signal);
  if (!('why' in found)) return { kind: 'picture', type, ...found };
  const { sides, why } = found;
  const facts = sides === undefined ? type : `${type}, ${sidesText(sides)}`;
  return { kind: 'hidden', type, sides, why: `${name} cannot be shown: ${why} (${facts}).` };
}

const tooLarge: Thumbnail = { sides: undefined, why: `it has more than ${bytes(LARGEST_PICTURE)}` };

async function thumbnail(image: Uint8Array, signal: AbortSignal | undefined): Promise<Thumbnail> {
  const { thumbnailOf } = await import('../../../client/thumbnail.ts');
  try {
    return await thumbnailOf(image, signal);
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'tooLarge') throw error;
    return { sides: undefined, why: 'it takes too much memory' };
  }
}

/**
 * By its byte order mark, as UTF-8, or, if its type is unknown, as windows-1252, which has all of Latin-1.
 * @param isPart the end may part a character, which is left out then
 * @returns undefined if it is none
 */
function textOf(head: Buffer, isPart: boolean, type: string | undefined): string | undefined {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return decoded(head, 'utf-16le', isPart);
  if (first === 0xfe && second === 0xff) return decoded(head, 'utf-16be', isPart);
  const text = decoded(head, 'utf-8', isPart);
  if (text !== undefined || type !== undefined) return text;
  const latin = head.toString('latin1');
  // oxlint-disable-next-line no-control-regex -- the controls that no text has
  if (/[\0-\u0008\u000e-\u001a\u001c-\u001f]/.test(latin)) return undefined;
  return latin.replaceAll(/[\u0080-\u009f]/g, (control) => windows1252[control.charCodeAt(0) - 0x80] ?? control);
}

/** @returns undefined if it is not of this encoding, or has what no text has */
function decoded(head: Uint8Array, encoding: string, isPart: boolean): string | undefined {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(head, { stream: isPart });
    return text.includes('\0') ? undefined : text;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** A text as it may be written on a terminal. */
export function shownText(text: string): string {
  return escapeLinesForTerminal(text.replace(/\r?\n$/, '').replaceAll('\t', '    '));
}

/** `4032 x 3024 pixels` */
export function sidesText({ width, height }: Sides): string {
  return `${width} x ${height} pixels`;
}
