import { Args } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { table } from '../../src/cli/kit/table.ts';
import { cardColumns } from '../../src/cli/contacts/contact-views.ts';
import { bookFlag } from '../../src/cli/contacts/find-book.ts';
import { cardsIn } from '../../src/cli/contacts/find-card.ts';

export default class List extends ApiCommand {
  static override summary = 'List your contacts, or those that have some words';
  static override description =
    'Words may be parts of names, organizations, e-mail addresses, telephone numbers and categories. Without --book, it lists all of your own books.';
  static override examples = [
    '<%= config.bin %> contacts list',
    '<%= config.bin %> contacts list "love ada"',
    '<%= config.bin %> contacts list --book members',
  ];
  static override args = { words: Args.string({ description: 'only contacts that have all these words' }) };
  static override flags = bookFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(List);
    await using client = await this.connect(flags);
    const cards = await cardsIn(client, flags.book, args.words);
    await this.answer({ cards }, (screen) => table(screen, cards, cardColumns));
    if (cards.length === 0) this.say('There are no such contacts. To add one, run: conclave contacts add NAME');
  }
}
