import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { changedText } from '../../src/cli/mail/changed-message.ts';
import { messageNamed } from '../../src/cli/mail/find-message.ts';
import { messageArgument } from '../../src/cli/mail/message-argument.ts';
import { mail } from '../../src/contract/mail.ts';
import { Problem } from '../../src/base/problem.ts';

export default class Mark extends ApiCommand {
  static override summary = 'Mark a message as read or unread, or flag it';
  static override description = 'Only you see the marks. The sender is not told.';
  static override examples = ['<%= config.bin %> mail mark 01a207df9916 --unread --flag'];
  static override args = messageArgument;
  static override flags = {
    read: Flags.boolean({ description: 'mark as read', exclusive: ['unread'] }),
    unread: Flags.boolean({ description: 'mark as unread' }),
    flag: Flags.boolean({ description: 'flag the message', exclusive: ['unflag'] }),
    unflag: Flags.boolean({ description: 'take the flag away' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Mark);
    const change = {
      ...((flags.read || flags.unread) && { read: !flags.unread }),
      ...(flags.flag && { addKeywords: ['$flagged'] }),
      ...(flags.unflag && { removeKeywords: ['$flagged'] }),
    };
    if (Object.keys(change).length === 0)
      throw new Problem('invalid', 'USAGE', 'Nothing would change. Give --read, --unread, --flag or --unflag.');
    await using client = await this.connect(flags);
    const messageId = await messageNamed(client, await this.screen(), args.message);
    const changed = await perform(client, mail.changeMessage, { messageId, ...change });
    await this.answer(changed, () => changedText(changed));
  }
}
