import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { perform } from '../../../src/client/perform.ts';
import { contacts } from '../../../src/contract/contacts.ts';

export default class Create extends ApiCommand {
  static override summary = 'Create an address book';
  static override examples = ['<%= config.bin %> contacts book create Work --default'];
  static override args = { name: Args.string({ description: 'its name', required: true }) };
  static override flags = {
    description: Flags.string({ description: 'what it is for', helpValue: 'TEXT' }),
    default: Flags.boolean({ description: 'new contacts come here' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Create);
    await using client = await this.connect(flags);
    const { description, default: isDefault } = flags;
    const reply = await perform(client, contacts.createBook, {
      displayName: args.name,
      ...(description !== undefined && { description }),
      isDefault,
    });
    const { displayName, id } = reply.book;
    await this.answer(reply, () => escapeForTerminal(`Created the address book ${displayName}: ${id}`));
  }
}
