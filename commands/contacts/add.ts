import { Args, Flags } from '@oclif/core';
import { readInput } from '../../src/cli/kit/call-input.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { contactFlags, fieldsFrom } from '../../src/cli/contacts/contact-flags.ts';
import { bookFlag, findBook } from '../../src/cli/contacts/find-book.ts';
import { perform } from '../../src/client/perform.ts';
import { contacts } from '../../src/contract/contacts.ts';

export default class Add extends ApiCommand {
  static override summary = 'Add a contact';
  static override description =
    'It comes into your default address book unless --book names another one. With --file, it is a single vCard; to add many, run: conclave contacts import FILE';
  static override examples = [
    '<%= config.bin %> contacts add "Ada Lovelace" --email work:ada@example.org --phone cell:+442079460000',
    '<%= config.bin %> contacts add --file ada.vcf --book Work',
  ];
  static override args = { name: Args.string({ description: 'name of the contact' }) };
  static override flags = {
    ...contactFlags,
    file: Flags.string({ description: 'file with a vCard; - for standard input', helpValue: 'FILE' }),
    ...bookFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Add);
    const vcard = flags.file === undefined ? undefined : await readInput(this.terminal, flags.file, '--file');
    await using client = await this.connect(flags);
    const { id: bookId, displayName: book } = await findBook(client, flags.book);
    const fields = { ...fieldsFrom(args.name, flags), ...(vcard !== undefined && { vcard }) };
    const reply = await perform(client, contacts.createCard, { bookId, ...fields });
    await this.answer(reply, () => escapeForTerminal(`Added ${reply.card.displayName} to ${book}: ${reply.card.id}`));
  }
}
