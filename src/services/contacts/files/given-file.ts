import * as v from 'valibot';
import { Problem } from '../../../base/problem.ts';
import { cardDuplicateModes, type CardDuplicateMode } from '../../../contract/contacts/limits.ts';
import type { Upload } from '../../../service/raw-bodies.ts';
import { fileText } from '../vcard/charset.ts';

/** A file of vCards as it came. */
export interface GivenFile {
  readonly text: string;
  /** whether its characters are characters, or bytes in encodings that its parts name */
  readonly form: 'text' | 'binary';
  readonly duplicateMode?: CardDuplicateMode | undefined;
}

const given = v.object({ vcf: v.string(), duplicateMode: v.optional(v.picklist(cardDuplicateModes)) });

/** @throws Problem invalid IMPORT_UNREADABLE */
export async function givenFile({ type, body }: Upload): Promise<GivenFile> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(Uint8Array.from(piece));
  const bytes = Buffer.concat(pieces);
  if (type !== 'application/json') return fileText(bytes);
  const parsed = v.safeParse(given, jsonIn(bytes));
  if (!parsed.success) {
    const message = 'JSON must have the text as vcf, and may have duplicateMode: skip, overwrite or create-new.';
    throw new Problem('invalid', 'IMPORT_UNREADABLE', message);
  }
  const { vcf, duplicateMode } = parsed.output;
  return { text: vcf.toWellFormed(), form: 'text', duplicateMode };
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
