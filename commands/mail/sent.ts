import { MailListCommand, mailListFlags } from '../../src/cli/mail/mail-list.ts';

export default class Sent extends MailListCommand {
  static override summary = 'List the messages that you sent, the newest first';
  static override examples = ['<%= config.bin %> mail sent'];
  static override flags = mailListFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(Sent);
    await this.list('sent', flags);
  }
}
