import { Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeLinesForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { details } from '../../src/cli/kit/table.ts';
import { cardDetails } from '../../src/cli/contacts/contact-views.ts';
import { bookFlag } from '../../src/cli/contacts/find-book.ts';
import { cardArgument, findCard } from '../../src/cli/contacts/find-card.ts';

export default class Show extends ApiCommand {
  static override summary = 'Show a contact';
  static override examples = [
    '<%= config.bin %> contacts show "Ada Lovelace"',
    '<%= config.bin %> contacts show ada@example.org --vcard',
  ];
  static override args = cardArgument;
  static override flags = { ...bookFlag, vcard: Flags.boolean({ description: 'as vCard, as it is kept' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Show);
    await using client = await this.connect(flags);
    const card = await findCard(client, args.contact, flags.book);
    await this.answer({ card }, (screen) =>
      flags.vcard
        ? escapeLinesForTerminal(card.vcard.replaceAll('\r\n', '\n').trimEnd())
        : details(screen, cardDetails(card)),
    );
  }
}
