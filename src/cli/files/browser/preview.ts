import { download } from '../../../client/bodies.ts';
import type { Client } from '../../../client/client.ts';
import type { FileItem } from '../../../contract/filevault/fields.ts';
import { filevault } from '../../../contract/filevault.ts';
import type { Viewed } from '../../kit/preview/content.ts';
import { showPreview } from '../../kit/preview/screen.ts';
import type { Ciphers } from '../ciphers.ts';
import { sourcesOf } from '../transfer/source.ts';
import type { Browsing } from './browsing.ts';

/** Shows the beginning of a text, or a picture. @returns what to tell the person afterwards */
export async function previewFile(full: Browsing, file: FileItem): Promise<string> {
  const { use, ciphers } = full;
  const viewed: Viewed = {
    name: file.name,
    size: file.sizeBytes,
    type: file.mimeType,
    read: async (take, signal) =>
      await use(async (client) => {
        const stop = new AbortController();
        const either = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
        const isSealed = (await ciphers(client)(file.vaultContainerId)) !== undefined;
        try {
          return await take(
            isSealed
              ? await sealedContent(client, ciphers(client), file, either)
              : await shownContent(client, file, either),
          );
        } finally {
          // The rest of the answer is not waited for.
          stop.abort();
        }
      }),
  };
  return await showPreview(full, viewed, 'Ctrl-G downloads it.');
}

async function sealedContent(
  client: Client,
  ciphers: Ciphers,
  file: FileItem,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const source = await sourcesOf(client, ciphers)(file);
  return source.read({ start: 0, end: source.size }, signal);
}

async function shownContent(client: Client, { id }: FileItem, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  return (await download(client, filevault.previewFile, { id }, { signal })).body;
}
