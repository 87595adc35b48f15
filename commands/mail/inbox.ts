import { MessageList, messageFlags } from '../../src/cli/mail/list.ts';
import { mailReading } from '../../src/contract/mail/reading.ts';

export default class Inbox extends MessageList {
  static override summary = 'List the messages of your inbox';
  static override description =
    'The marks are a star for unread, a plus sign for attachments, ! for flagged and r for answered.';
  static override examples = ['<%= config.bin %> mail inbox --read-status unread'];
  static override flags = messageFlags(mailReading.listInbox);

  protected override readonly shows = mailReading.listInbox;
}
