import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { changedText } from '../../src/cli/mail/changed-message.ts';
import { messageNamed } from '../../src/cli/mail/find-message.ts';
import { messageArgument } from '../../src/cli/mail/message-argument.ts';
import { folders, type Folder } from '../../src/contract/mail/limits.ts';
import { mail } from '../../src/contract/mail.ts';

export default class Move extends ApiCommand {
  static override summary = 'Move a message to another folder';
  static override description = 'Drafts and sent messages can be moved to archive, trash and back.';
  static override examples = ['<%= config.bin %> mail move 01a207df9916 archive'];
  static override args = {
    ...messageArgument,
    folder: Args.string({ description: 'name of the folder', options: [...folders], required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Move);
    await using client = await this.connect(flags);
    const messageId = await messageNamed(client, await this.screen(), args.message);
    const changed = await perform(client, mail.changeMessage, { messageId, folder: args.folder as Folder });
    await this.answer(changed, () => changedText(changed));
  }
}
