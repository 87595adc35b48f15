import type { Draft } from './draft.ts';
import { addField } from './draft.ts';
import type { ImportRun } from './import-run.ts';
import type { JsonObject } from './json-values.ts';
import { textIn } from './json-values.ts';
import { mimeTypeOf, plainName } from './mime-type.ts';

export interface OnePasswordItem {
  readonly draft: Draft;
  /** What documents hold, by their ids. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly notice: ImportRun['notice'];
}

/** Its content is taken from the archive by the id of the document; its name is shown and never a path. */
export function addDocument({ draft, files, notice }: OnePasswordItem, attributes: JsonObject): void {
  const path = textIn(attributes.path) ?? '';
  const id = textIn(attributes.documentId) ?? /([^/]+?)__/.exec(path)?.[1] ?? '';
  const filename = plainName(textIn(attributes.fileName) ?? /__(.+)$/s.exec(path)?.[1] ?? '');
  const bytes = files.get(id);
  if (bytes !== undefined) draft.attachments.push({ filename, mimeType: mimeTypeOf(filename), bytes });
  else {
    addField(draft, 'file', filename, false);
    notice('It has a file that is not in the archive.');
  }
}
