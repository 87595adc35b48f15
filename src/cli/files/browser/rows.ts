import { perform } from '../../../client/perform.ts';
import type { FileItem, Folder, ListedContainer } from '../../../contract/filevault/fields.ts';
import { filevaultLimits } from '../../../contract/filevault/limits.ts';
import { filevault } from '../../../contract/filevault.ts';
import type { FullScreen } from '../../kit/full-screen.ts';
import { allContainers } from '../places.ts';

/** One line of the browser. */
export type Row =
  | { readonly kind: 'container'; readonly id: string; readonly name: string; readonly of: ListedContainer }
  | { readonly kind: 'folder'; readonly id: string; readonly name: string; readonly of: Folder }
  | { readonly kind: 'file'; readonly id: string; readonly name: string; readonly of: FileItem };

/** What is in a folder, read page by page as the person goes down in it: a folder may have more than anybody looks at. */
export interface Rows {
  readonly rows: readonly Row[];
  /** whether all of it was read */
  readonly complete: boolean;
  /** reads until there are so many rows, or all */
  load(use: FullScreen['use'], count: number): Promise<void>;
}

/** The containers that the person sees something in. */
export async function containerRows(use: FullScreen['use']): Promise<Rows> {
  const all = await use(allContainers);
  const rows = all.map((of): Row => ({ kind: 'container', id: of.id, name: of.name, of }));
  return { rows, complete: true, load: async () => {} };
}

export function folderRows(id: string): Rows {
  const rows: Row[] = [];
  let cursor: string | undefined;
  let complete = false;
  return {
    rows,
    get complete() {
      return complete;
    },
    async load(use, count) {
      if (complete || rows.length >= count) return;
      await use(async (client) => {
        while (!complete && rows.length < count) {
          const page = { limit: filevaultLimits.page, ...(cursor !== undefined && { cursor }) };
          const reply = await perform(client, filevault.showFolder, { id, ...page });
          for (const of of reply.subfolders) rows.push({ kind: 'folder', id: of.id, name: of.name, of });
          for (const of of reply.files) rows.push({ kind: 'file', id: of.id, name: of.name, of });
          ({ cursor } = reply);
          complete = !reply.hasMore || cursor === undefined;
        }
      });
    },
  };
}
