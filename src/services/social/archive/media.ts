import type { Context } from '../../../context.ts';
import type { ArchiveFile } from './archive-file.ts';

/** The media of a member, one file each. */
export async function* mediaOf(_ctx: Context, _memberId: string): AsyncGenerator<ArchiveFile> {
  // Posts have no media on this node.
}
