import { Args } from '@oclif/core';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { folderAt } from '../../src/cli/files/places.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { bytes } from '../../src/cli/kit/screen.ts';
import { table } from '../../src/cli/kit/table.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Du extends ApiCommand {
  static override summary = 'Show the sizes of a folder and of what is directly in it, largest first';
  static override examples = ['<%= config.bin %> files du Work:/photos'];
  static override args = { path: Args.string({ description: 'path of a folder', required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Du);
    await using client = await this.connect(flags);
    const { id } = await folderAt(client, parseRemotePath(args.path));
    const usage = await perform(client, filevault.showFolderUsage, { id });
    const rows = [...usage.children, { ...usage, name: '.', itemType: 'total' as const }];
    await this.answer(usage, (screen) => {
      // Programs get the exact number.
      const size = (count: number): string => (Number.isFinite(screen.width) ? bytes(count) : String(count));
      return table(screen, rows, [
        { title: 'SIZE', of: ({ sizeBytes }) => size(sizeBytes), whole: true },
        { title: 'FILES', of: ({ files }) => String(files), whole: true },
        { title: 'NAME', of: ({ name, itemType }) => (itemType === 'folder' ? `${name}/` : name), main: true },
      ]);
    });
  }
}
