import type { ServerRequest } from 'srvx';
import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import type { AnySpace } from '../../service/ports/dav.ts';
import { gatherPieces } from '../../base/pieces.ts';
import type { BytesHeld } from '../byte-budget.ts';
import { openUpload } from '../upload.ts';
import type { BodyPace } from '../body-pace.ts';
import { readXml, XML_BYTES, type XmlElement } from './xml/read.ts';

/** A request whose member is known. */
export interface DavRequest {
  readonly ctx: Context;
  readonly actor: Actor;
  /** those that the app password opens */
  readonly spaces: readonly AnySpace[];
  readonly request: ServerRequest;
  readonly pathname: string;
  readonly held: BytesHeld;
  readonly pace: BodyPace;
  /** headers of every answer */
  readonly sent: Record<string, string>;
}

/** The whole body. @param most bytes @throws Problem tooLarge PAYLOAD_TOO_LARGE, unsupported UNSUPPORTED_MEDIA_TYPE, and those of a body */
export async function bodyOf({ request, held, pace }: DavRequest, most: number): Promise<Uint8Array> {
  const intake = { pace, take: (bytes: number) => held.take(bytes), pass: (bytes: number) => held.pass(bytes) };
  const { body, size } = openUpload({ accepts: ['*/*'] }, request, most, intake);
  if (size === 0) return new Uint8Array();
  const pieces = gatherPieces();
  for await (const piece of body) {
    held.take(piece.length);
    pieces.add(piece);
  }
  return pieces.whole();
}

/**
 * The outermost element of the body; undefined without a body. Its media type is not looked at: programs send several, and it is XML or nothing.
 * @throws Problem invalid VALIDATION_ERROR, and those of a body
 */
export async function xmlOf(request: DavRequest): Promise<XmlElement | undefined> {
  return await readXml(await bodyOf(request, XML_BYTES));
}
