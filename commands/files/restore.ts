import { Args } from '@oclif/core';
import { restoreById } from '../../src/cli/files/restoring.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';

export default class Restore extends ApiCommand {
  static override summary = 'Restore a file or folder from the trash';
  static override description = 'conclave files search --deleted lists the files of the trash.';
  static override examples = ['<%= config.bin %> files restore 01a207df99167f88c06b19cdf3a19c49'];
  static override args = { id: Args.string({ description: 'id of a file or folder', required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Restore);
    await using client = await this.connect(flags);
    const restored = await restoreById(client, args.id);
    await this.answer(restored, () => `Restored ${escapeForTerminal(restored.name)}.`);
  }
}
