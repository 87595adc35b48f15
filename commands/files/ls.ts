import { Args, Flags } from '@oclif/core';
import { contentOf, contentTable } from '../../src/cli/files/listing.ts';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { placeAt } from '../../src/cli/files/places.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';

const fields = { name: 'name', size: 'size', changed: 'modifiedDate', type: 'type' } as const;

export default class Ls extends ApiCommand {
  static override summary = 'List a folder';
  static override description =
    'A path is Container:/folder/file. Container: is the root folder of a container, and /folder is in your oldest one.';
  static override examples = ['<%= config.bin %> files ls Work:/reports --sort size --reverse'];
  static override args = { path: Args.string({ description: 'path of a folder or file', default: '/' }) };
  static override flags = {
    sort: Flags.string({ description: 'order of the list', options: Object.keys(fields), default: 'name' }),
    reverse: Flags.boolean({ description: 'the other way round' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Ls);
    await using client = await this.connect(flags);
    const { folder, file } = await placeAt(client, parseRemotePath(args.path));
    const sorting = {
      sortField: fields[flags.sort as keyof typeof fields],
      sortDirection: flags.reverse ? 'desc' : 'asc',
    } as const;
    const content = file === null ? await contentOf(client, folder.id, sorting) : { subfolders: [], files: [file] };
    await this.answer({ folder, ...content }, (screen) => contentTable(screen, content));
  }
}
