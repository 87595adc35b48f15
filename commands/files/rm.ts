import { Args, Flags } from '@oclif/core';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { placeAt } from '../../src/cli/files/places.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';
import { Problem } from '../../src/base/problem.ts';

export default class Rm extends ApiCommand {
  static override summary = 'Move a file or folder to the trash';
  static override description = 'conclave files restore takes it out again, with the id that this command prints.';
  static override examples = ['<%= config.bin %> files rm Work:/2025 --recursive'];
  static override args = { path: Args.string({ description: 'path of a file or folder', required: true }) };
  static override flags = { recursive: Flags.boolean({ description: 'also a folder, with everything inside it' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Rm);
    await using client = await this.connect(flags);
    const { folder, file } = await placeAt(client, parseRemotePath(args.path));
    if (file === null && !flags.recursive)
      throw new Problem('invalid', 'USAGE', 'That is a folder. Add --recursive to move it to the trash.');
    const { id, name } = file ?? folder;
    if (file === null) await perform(client, filevault.removeFolder, { id });
    else await perform(client, filevault.removeFile, { id });
    const back = `To restore it, run: conclave files restore ${id}`;
    await this.answer({ id, name }, () => `Moved ${escapeForTerminal(name)} to the trash.\n${back}`);
  }
}
