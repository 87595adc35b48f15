import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { confirmed } from '../../../src/cli/kit/confirmation.ts';
import { counted } from '../../../src/cli/kit/counted.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { findBook } from '../../../src/cli/contacts/find-book.ts';
import { perform } from '../../../src/client/perform.ts';
import { contacts } from '../../../src/contract/contacts.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Delete an address book with all its contacts';
  static override examples = ['<%= config.bin %> contacts book remove Work'];
  static override args = {
    book: Args.string({ description: 'its name, or the beginning of its id', required: true }),
  };
  static override flags = { yes: Flags.boolean({ description: 'do not ask' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const { id: bookId, displayName, cardCount } = await findBook(client, args.book);
    const question = `Delete ${displayName} with ${counted(cardCount, 'contact')}?`;
    await confirmed(this.terminal, flags.yes, escapeForTerminal(question));
    await perform(client, contacts.deleteBook, { bookId });
    await this.answer({ deleted: bookId }, () => escapeForTerminal(`Deleted ${displayName}.`));
  }
}
