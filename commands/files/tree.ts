import { Args, Flags } from '@oclif/core';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { folderAt } from '../../src/cli/files/places.ts';
import { treeLines, walkTree } from '../../src/cli/files/tree.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';

export default class Tree extends ApiCommand {
  static override summary = 'Show a folder with everything inside it';
  static override examples = ['<%= config.bin %> files tree Work:/reports --depth 2'];
  static override args = { path: Args.string({ description: 'path of a folder', default: '/' }) };
  static override flags = {
    depth: Flags.integer({ description: 'levels of folders to show', helpValue: 'NUMBER', min: 1, default: 128 }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Tree);
    await using client = await this.connect(flags);
    const folder = await folderAt(client, parseRemotePath(args.path));
    const tree = await walkTree(client, folder, flags.depth);
    await this.answer(tree, () => treeLines(tree).join('\n'));
  }
}
