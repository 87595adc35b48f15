import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { perform } from '../../src/client/perform.ts';
import { sizeOf } from '../../src/cli/files/sizes.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Create extends ApiCommand {
  static override summary = 'Create a container for files';
  static override examples = ['<%= config.bin %> files create Work --quota 5GiB'];
  static override args = { name: Args.string({ description: 'name of the new container', required: true }) };
  static override flags = {
    description: Flags.string({ description: 'what it is for', helpValue: 'TEXT' }),
    quota: Flags.string({ description: 'largest size of all its files together', helpValue: 'SIZE' }),
    'client-encrypted': Flags.boolean({
      description: 'only its members can open its files; the server gets no key, and you need your recovery phrase',
    }),
    governed: Flags.boolean({ description: 'the quorum decides on the destruction of its files' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Create);
    const { description, quota } = flags;
    const input = {
      name: args.name,
      quorumGoverned: flags.governed,
      clientEncrypted: flags['client-encrypted'],
      ...(description !== undefined && { description }),
      ...(quota !== undefined && { quotaBytes: sizeOf(quota) }),
    };
    await using client = await this.connect(flags);
    const container = await perform(client, filevault.createContainer, input);
    await this.answer(container, () => `Created ${escapeForTerminal(container.name)}.`);
  }
}
