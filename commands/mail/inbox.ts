import { MailListCommand, mailListFlags } from '../../src/cli/mail/mail-list.ts';

export default class Inbox extends MailListCommand {
  static override summary = 'List the messages of your inbox, the newest first';
  static override examples = ['<%= config.bin %> mail inbox --unread'];
  static override flags = mailListFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(Inbox);
    await this.list('inbox', flags);
  }
}
