import { argumentOf } from '../../src/cli/kit/perform-command.ts';
import { MessageList, messageFlags } from '../../src/cli/mail/list.ts';
import { mailReading } from '../../src/contract/mail/reading.ts';

export default class Folder extends MessageList {
  static override summary = 'List the messages of a folder';
  static override description = 'Without a folder, of all but spam and trash. With the flags of the inbox.';
  static override examples = ['<%= config.bin %> mail folder archive --label Work'];
  static override args = argumentOf(mailReading.listFolder, 'folder');
  static override flags = messageFlags(mailReading.listFolder);

  protected override readonly shows = mailReading.listFolder;
}
