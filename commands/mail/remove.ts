import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { messageNamed } from '../../src/cli/mail/find-message.ts';
import { messageArgument } from '../../src/cli/mail/message-argument.ts';
import { mail } from '../../src/contract/mail.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Delete your copy of a message, for good';
  static override description =
    'Sender and other recipients keep theirs. To keep it for a while, use: conclave mail move MESSAGE trash';
  static override examples = ['<%= config.bin %> mail remove 01a207df9916'];
  static override args = messageArgument;
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const messageId = await messageNamed(client, await this.screen(), args.message);
    const { id, from, subject } = await perform(client, mail.showMessage, { messageId });
    await confirmed(this.terminal, flags.yes, `Delete ${JSON.stringify(subject)} from ${from.address} for ever?`);
    await perform(client, mail.removeMessage, { messageId: id });
    await this.answer({ deleted: id }, () => `Deleted ${id}.`);
  }
}
