import { MailListCommand, mailListFlags } from '../../src/cli/mail/mail-list.ts';

export default class Drafts extends MailListCommand {
  static override summary = 'List your drafts, the newest first';
  static override examples = ['<%= config.bin %> mail drafts'];
  static override flags = mailListFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(Drafts);
    await this.list('drafts', flags);
  }
}
