import { Args, Flags } from '@oclif/core';
import { makeFolder } from '../../src/cli/files/making.ts';
import { parseRemotePath, pathText } from '../../src/cli/files/paths.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';

export default class Mkdir extends ApiCommand {
  static override summary = 'Create a folder';
  static override examples = ['<%= config.bin %> files mkdir Work:/reports/2026 --parents'];
  static override args = { path: Args.string({ description: 'path of the new folder', required: true }) };
  static override flags = {
    parents: Flags.boolean({ description: 'create the folders above as well; a folder that is there is fine' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Mkdir);
    const path = parseRemotePath(args.path);
    await using client = await this.connect(flags);
    const folder = await makeFolder(client, path, flags.parents);
    await this.answer(folder, () => `Created ${escapeForTerminal(pathText(path))}.`);
  }
}
