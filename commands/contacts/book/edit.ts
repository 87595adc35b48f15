import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { findBook } from '../../../src/cli/contacts/find-book.ts';
import { perform } from '../../../src/client/perform.ts';
import { contacts } from '../../../src/contract/contacts.ts';

export default class Edit extends ApiCommand {
  static override summary = 'Rename an address book, or make it the default one';
  static override examples = ['<%= config.bin %> contacts book edit Work --name Office --default'];
  static override args = {
    book: Args.string({ description: 'its name, or the beginning of its id', required: true }),
  };
  static override flags = {
    name: Flags.string({ description: 'its new name', helpValue: 'NAME' }),
    description: Flags.string({ description: 'what it is for', helpValue: 'TEXT' }),
    default: Flags.boolean({ description: 'new contacts come here' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Edit);
    await using client = await this.connect(flags);
    const { id: bookId } = await findBook(client, args.book);
    const { name, description } = flags;
    const reply = await perform(client, contacts.updateBook, {
      bookId,
      ...(name !== undefined && { displayName: name }),
      ...(description !== undefined && { description }),
      ...(flags.default && { isDefault: true }),
    });
    await this.answer(reply, () => escapeForTerminal(`Changed the address book ${reply.book.displayName}.`));
  }
}
