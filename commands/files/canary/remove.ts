import { Args } from '@oclif/core';
import { canaryNamed } from '../../../src/cli/files/canaries.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { perform } from '../../../src/client/perform.ts';
import { filevault } from '../../../src/contract/filevault.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Remove a canary';
  static override examples = ['<%= config.bin %> files canary remove Gone'];
  static override args = { name: Args.string({ description: 'name or id of the canary', required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const { id, name } = await canaryNamed(client, args.name);
    await perform(client, filevault.removeCanary, { id });
    await this.answer({ id, name }, () => `Removed ${escapeForTerminal(name)}.`);
  }
}
