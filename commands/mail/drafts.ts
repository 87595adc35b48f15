import { MessageList, messageFlags } from '../../src/cli/mail/list.ts';
import { mailDrafts } from '../../src/contract/mail/drafts.ts';

export default class Drafts extends MessageList {
  static override summary = 'List your drafts';
  static override description = 'To send one, run: conclave call mail.send-draft messageId=ID.';
  static override examples = ['<%= config.bin %> mail drafts'];
  static override flags = messageFlags(mailDrafts.listDrafts);

  protected override readonly shows = mailDrafts.listDrafts;
}
