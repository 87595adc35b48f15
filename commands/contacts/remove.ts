import { Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { bookFlag } from '../../src/cli/contacts/find-book.ts';
import { cardArgument, findCard } from '../../src/cli/contacts/find-card.ts';
import { perform } from '../../src/client/perform.ts';
import { contacts } from '../../src/contract/contacts.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Delete a contact';
  static override examples = ['<%= config.bin %> contacts remove "Ada Lovelace"'];
  static override args = cardArgument;
  static override flags = { ...bookFlag, yes: Flags.boolean({ description: 'do not ask' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const { id: cardId, bookId, etag, displayName } = await findCard(client, args.contact, flags.book);
    await confirmed(this.terminal, flags.yes, escapeForTerminal(`Delete ${displayName}?`));
    await perform(client, contacts.deleteCard, { bookId, cardId, ifMatch: `"${etag}"` });
    await this.answer({ deleted: cardId }, () => escapeForTerminal(`Deleted ${displayName}.`));
  }
}
