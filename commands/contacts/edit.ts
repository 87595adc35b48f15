import { Flags } from '@oclif/core';
import { readInput } from '../../src/cli/kit/call-input.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { clearedBy, clearFlag, contactFlags, fieldsFrom } from '../../src/cli/contacts/contact-flags.ts';
import { bookFlag } from '../../src/cli/contacts/find-book.ts';
import { cardArgument, findCard } from '../../src/cli/contacts/find-card.ts';
import { perform } from '../../src/client/perform.ts';
import { contacts } from '../../src/contract/contacts.ts';

export default class Edit extends ApiCommand {
  static override summary = 'Change fields of a contact, or replace it by a vCard';
  static override description =
    'What is not named stays. Lists, such as those of --email, are replaced as a whole: give all that the contact has then. What another program changed meanwhile is not overwritten.';
  static override examples = [
    '<%= config.bin %> contacts edit ada --email ada@example.org --email work:al@engines.example',
    '<%= config.bin %> contacts edit ada --clear note',
    '<%= config.bin %> contacts edit ada --file ada.vcf',
  ];
  static override args = cardArgument;
  static override flags = {
    name: Flags.string({ description: 'name that is shown', helpValue: 'NAME' }),
    ...contactFlags,
    ...clearFlag,
    file: Flags.string({
      description: 'file with a vCard that replaces it; - for standard input',
      helpValue: 'FILE',
      exclusive: ['clear', 'name', ...Object.keys(contactFlags)],
    }),
    ...bookFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Edit);
    const vcard = flags.file === undefined ? undefined : await readInput(this.terminal, flags.file, '--file');
    await using client = await this.connect(flags);
    const { id: cardId, bookId, etag } = await findCard(client, args.contact, flags.book);
    const on = { bookId, cardId, ifMatch: `"${etag}"` };
    const changes = { ...fieldsFrom(flags.name, flags), ...clearedBy(flags.clear) };
    const reply =
      vcard === undefined
        ? await perform(client, contacts.updateCard, { ...on, ...changes })
        : await perform(client, contacts.replaceCard, { ...on, vcard });
    await this.answer(reply, () => escapeForTerminal(`Changed ${reply.card.displayName}.`));
  }
}
