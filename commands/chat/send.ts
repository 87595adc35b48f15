import { Flags } from '@oclif/core';
import { chatKeyFlag } from '../../src/cli/accounts/own-key.ts';
import { assertAttachable, attachFlag } from '../../src/cli/chat/attached-files.ts';
import { fileFlag, modeFlag, textArgument, withArgument } from '../../src/cli/chat/arguments.ts';
import { messagesText } from '../../src/cli/chat/message-view.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { sendSomewhere } from '../../src/cli/chat/sealed/send-somewhere.ts';
import { textOf } from '../../src/cli/kit/text-argument.ts';

export default class Send extends ChatCommand {
  static override summary = 'Send a message to a member of this node, or into a group or channel';
  static override description =
    'A conversation with a member begins with the first message. In a group or channel, @username and @all notify those who are named. Without TEXT it is read from --file or from standard input. Members of other nodes are reached by e-mail: conclave mail send';
  static override examples = [
    '<%= config.bin %> chat send bob "Tea at four?"',
    '<%= config.bin %> chat send "#tea party" "@bob brings cake."',
    '<%= config.bin %> chat send bob "I come." --reply 01a207df9916',
    '<%= config.bin %> chat send "#tea party" "Earl Grey." --thread 01a207df9916',
    '<%= config.bin %> chat send bob "The plan" --attach plan.pdf --attach map.png',
    '<%= config.bin %> chat send bob "For you alone" --mode client',
    'uptime | <%= config.bin %> chat send bob --client-id "uptime-$(date +%F)"',
  ];
  static override args = { ...withArgument, ...textArgument };
  static override flags = {
    ...fileFlag,
    ...attachFlag,
    reply: Flags.string({ description: 'the message that this one answers', helpValue: 'MESSAGE' }),
    thread: Flags.string({
      description:
        'answers in the thread of this message; where only members can read, the node learns which message that is',
      helpValue: 'MESSAGE',
      exclusive: ['reply'],
    }),
    'client-id': Flags.string({
      description: 'your own id of the message: sent again with it, it is the same message',
      helpValue: 'ID',
    }),
    ...modeFlag,
    ...chatKeyFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Send);
    await assertAttachable(flags.attach);
    const content = await textOf(this.terminal, args.text, flags.file);
    await using client = await this.connect(flags);
    const { attach: files, reply, thread, mode, 'client-id': clientId } = flags;
    const writing = { to: args.with, content, files, reply, thread, mode, clientId };
    const sent = await sendSomewhere(this.side(client, flags), writing);
    await this.answer(sent, (screen) => messagesText(screen, [sent]));
  }
}
