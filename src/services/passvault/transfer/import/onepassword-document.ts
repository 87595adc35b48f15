import type { Draft } from './draft.ts';
import { addField } from './draft.ts';
import type { ImportRun } from './import-run.ts';
import type { JsonObject } from './json-values.ts';
import { textIn } from './json-values.ts';
import { mimeTypeOf, plainName } from './mime-type.ts';

export interface OnePasswordItem {
  readonly draft: Draft;
  /** Contents of documents, by document id. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly notice: ImportRun['notice'];
}

/** The id of the document selects its content in the archive. Its name is only shown and never used as a path. */
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
