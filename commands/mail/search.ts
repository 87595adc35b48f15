import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { table } from '../../src/cli/kit/table.ts';
import { messageColumns } from '../../src/cli/mail/message-views.ts';
import { mailReading } from '../../src/contract/mail/reading.ts';

export default class Search extends ApiCommand {
  static override summary = 'Search all folders but spam and trash';
  static override description =
    'For messages that have all of the words, whole, in subject, addresses or text. Other filters: conclave mail folder.';
  static override examples = ['<%= config.bin %> mail search invoice november'];
  static override usage = 'mail search WORDS...';
  static override strict = false;
  static override args = { words: Args.string({ description: 'words to search for', required: true }) };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Search);
    await using client = await this.connect(flags);
    const reply = await perform(client, mailReading.listFolder, { searchText: argv.join(' ') });
    await this.answer(reply, (screen) => table(screen, reply.emails, messageColumns));
    if (reply.total === 0) this.say('There are no such messages.');
    else if (reply.total > reply.emails.length) this.say(`${reply.total} messages were found. These are the newest.`);
  }
}
