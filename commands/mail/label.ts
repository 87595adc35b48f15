import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { changedText } from '../../src/cli/mail/changed-message.ts';
import { messageNamed } from '../../src/cli/mail/find-message.ts';
import { messageArgument } from '../../src/cli/mail/message-argument.ts';
import { mail } from '../../src/contract/mail.ts';
import { Problem } from '../../src/base/problem.ts';

const repeated = { helpValue: 'LABEL', multiple: true, multipleNonGreedy: true } as const;

export default class Label extends ApiCommand {
  static override summary = 'Give a message labels, or take them away';
  static override description = 'A label is made with its first message, and ends with its last.';
  static override examples = ['<%= config.bin %> mail label 01a207df9916 --add bills --remove later'];
  static override args = messageArgument;
  static override flags = {
    add: Flags.string({ description: 'label to give; repeat for more', ...repeated }),
    remove: Flags.string({ description: 'label to take away; repeat for more', ...repeated }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Label);
    const { add = [], remove = [] } = flags;
    if (add.length + remove.length === 0)
      throw new Problem('invalid', 'USAGE', 'Nothing would change. Give --add or --remove.');
    await using client = await this.connect(flags);
    const messageId = await messageNamed(client, await this.screen(), args.message);
    const changed = await perform(client, mail.changeMessage, { messageId, addLabels: add, removeLabels: remove });
    await this.answer(changed, () => changedText(changed));
  }
}
