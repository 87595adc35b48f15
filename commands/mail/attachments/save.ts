import { Args, Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { bytes } from '../../../src/cli/kit/screen.ts';
import { messageNamed } from '../../../src/cli/mail/find-message.ts';
import { messageArgument } from '../../../src/cli/mail/message-argument.ts';
import { chosenAttachments, saveAttachments } from '../../../src/cli/mail/saving.ts';
import { mail } from '../../../src/contract/mail.ts';

export default class AttachmentsSave extends ApiCommand {
  static override summary = 'Save what is attached to a message';
  static override description =
    'Nothing is overwritten. The names are those of the sender, without folders and without characters that could deceive you.';
  static override examples = ['<%= config.bin %> mail attachments save 01a207df9916 --all --dir Downloads'];
  static override args = {
    ...messageArgument,
    index: Args.integer({ description: 'number of the attachment, as conclave mail read shows it', min: 0 }),
  };
  static override flags = {
    all: Flags.boolean({ description: 'save all attachments' }),
    dir: Flags.string({ description: 'folder to save into', helpValue: 'DIR', default: '.' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AttachmentsSave);
    await using client = await this.connect(flags);
    const messageId = await messageNamed(client, await this.screen(), args.message);
    const { attachments } = await perform(client, mail.showContent, { messageId });
    const chosen = chosenAttachments(attachments, { all: flags.all, index: args.index });
    const saved = await saveAttachments(this.terminal, client, messageId, chosen, flags.dir);
    await this.answer({ saved }, () =>
      saved.map(({ path, size }) => escapeForTerminal(`Saved ${path}, ${bytes(size)}.`)).join('\n'),
    );
  }
}
