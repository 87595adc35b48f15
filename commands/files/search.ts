import { Args, Flags } from '@oclif/core';
import { collectPages } from '../../src/client/pages.ts';
import { fileTable } from '../../src/cli/files/listing.ts';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { folderAt } from '../../src/cli/files/places.ts';
import { sizeOf } from '../../src/cli/files/sizes.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { filevault } from '../../src/contract/filevault.ts';

const kinds = ['image', 'video', 'audio', 'document', 'text', 'archive', 'other'] as const;

export default class Search extends ApiCommand {
  static override summary = 'Find files by name, tag, type or size';
  static override examples = ['<%= config.bin %> files search invoice --in Work:/2026 --type document'];
  static override args = { words: Args.string({ description: 'part of a name or description' }) };
  static override flags = {
    in: Flags.string({ description: 'folder in which to search', helpValue: 'PATH' }),
    tag: Flags.string({
      description: 'tag that the file has; repeat for more',
      helpValue: 'TAG',
      multiple: true,
      multipleNonGreedy: true,
    }),
    type: Flags.string({ description: 'kind of file', options: [...kinds] }),
    larger: Flags.string({ description: 'at least this size', helpValue: 'SIZE' }),
    smaller: Flags.string({ description: 'at most this size', helpValue: 'SIZE' }),
    deleted: Flags.boolean({ description: 'also files in the trash' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Search);
    await using client = await this.connect(flags);
    const folder = flags.in === undefined ? undefined : await folderAt(client, parseRemotePath(flags.in));
    const filters = {
      ...(args.words !== undefined && { query: args.words }),
      ...(flags.tag !== undefined && { tags: flags.tag }),
      ...(flags.type !== undefined && { fileType: flags.type as (typeof kinds)[number] }),
      ...(flags.larger !== undefined && { sizeMin: sizeOf(flags.larger) }),
      ...(flags.smaller !== undefined && { sizeMax: sizeOf(flags.smaller) }),
      ...(folder !== undefined && { folderId: folder.id }),
      ...(flags.deleted && { deleted: 'true' as const }),
    };
    const { items: files } = await collectPages(client, filevault.searchFiles, filters, 'results');
    await this.answer({ files }, (screen) => fileTable(screen, files));
  }
}
