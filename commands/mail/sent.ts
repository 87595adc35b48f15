import { MessageList, messageFlags } from '../../src/cli/mail/list.ts';
import { mailReading } from '../../src/contract/mail/reading.ts';

export default class Sent extends MessageList {
  static override summary = 'List the messages that you sent';
  static override description = 'With the flags of the inbox.';
  static override examples = ['<%= config.bin %> mail sent --search-text invoice'];
  static override flags = messageFlags(mailReading.listSent);

  protected override readonly shows = mailReading.listSent;
}
